// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import secondImplementation from 'canonicalize';
import { canonicalize, diffCatalogs, digestCatalog, digestTool, projectTool } from '../../semconv/index.ts';
import { MAX_DEFINITION_BYTES, MAX_ENTRIES, MAX_NAMES_LISTED } from '../../semconv/limits.ts';

const read = (name: string) => JSON.parse(readFileSync(new URL(`./vectors/${name}.json`, import.meta.url), 'utf8'));
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('the canonical form', () => {
  for (const { ieee754, canonical } of read('rfc8785-numbers').vectors) {
    it(`writes the double ${ieee754} as ${canonical}`, () => {
      assert.equal(canonicalize(Buffer.from(ieee754, 'hex').readDoubleBE()), canonical);
    });
  }

  for (const { name, input, canonical } of read('rfc8785-values').vectors) {
    it(`is that of ${name}`, () => {
      assert.equal(canonicalize(JSON.parse(input)), canonical);
      // The second implementation reads a member called toJSON or __proto__ as JavaScript does, so only the RFC's own are compared.
      if (name.startsWith('RFC')) assert.equal(secondImplementation(JSON.parse(input)), canonical);
    });
  }

  it('equals that of a second implementation on random values', () => {
    for (let seed = 1; seed <= 500; seed++) {
      const value = randomJson(randomOf(seed), 4);
      assert.equal(canonicalize(value as never), secondImplementation(value), `seed ${seed}`);
    }
  });
});

describe('the digest of a catalog', () => {
  for (const { name, input, canonical, digest } of read('catalogs')) {
    it(`of ${name} is over exactly the bytes in the vector file`, () => {
      const projected = input.map((tool: unknown) => (projectTool(tool) as { value: { name: string } }).value);
      projected.sort((a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1));
      assert.equal(canonicalize(projected), canonical);
      assert.equal(secondImplementation(projected), canonical);
      assert.equal(sha256(canonical), digest);
      assert.equal(digestCatalog(input).digest, digest);
    });
  }

  for (const { name, left, right } of read('same')) {
    it(`is the same whatever the ${name}`, () => {
      assert.equal(digestCatalog(left).digest, digestCatalog(right).digest);
    });
  }

  for (const { name, left, right } of read('different')) {
    it(`differs by ${name}`, () => {
      const [a, b] = [digestCatalog(left).digest, digestCatalog(right).digest];
      assert.ok(a && b);
      assert.notEqual(a, b);
    });
  }

  it('leaves execution out on request, as a modern client never sees it', () => {
    const tool = { name: 't', inputSchema: { type: 'object' } };
    const withExecution = { ...tool, execution: { taskSupport: 'optional' } };
    assert.equal(digestCatalog([withExecution], { execution: false }).digest, digestCatalog([tool]).digest);
  });

  it('does not depend on the order of anything that is a set, for random catalogs', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = randomOf(seed);
      const catalogOf = (names: (list: string[]) => string[]): unknown[] =>
        ['t0', 't1', 't2', 't3', 't1'].map((name, index) => ({
          name,
          inputSchema: {
            type: 'object',
            required: names(['a', 'b', 'c']),
            properties: { a: { default: index }, b: { type: names(['string', 'null', 'number']) } },
            dependentRequired: { a: names(['b', 'c']) },
            $defs: { D: { dependencies: { x: names(['y', 'z', 'w']) } } },
          },
        }));
      const tools = catalogOf((list) => list);
      const shuffled = shuffle(
        random,
        shuffleKeys(
          random,
          catalogOf((list) => shuffle(random, list)),
        ) as unknown[],
      );
      assert.equal(digestCatalog(shuffled).digest, digestCatalog(tools).digest, `seed ${seed}`);
    }
  });

  it('lists names and digests of tools, sorted, and names that occur twice', () => {
    const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
    const catalog = digestCatalog([tool('b'), tool('a'), tool('b')]);
    assert.deepEqual(
      catalog.entries?.map(({ name }) => name),
      ['a', 'b', 'b'],
    );
    assert.deepEqual(catalog.duplicates, ['b']);
    assert.equal(catalog.size, 3);
    const single = digestTool(tool('a'));
    assert.ok('digest' in single && single.digest.startsWith(catalog.entries?.[0]?.digest ?? 'none'));
  });
});

describe('hostile definitions', () => {
  const nest = (depth: number) => {
    let value: Record<string, unknown> = {};
    for (let i = 0; i < depth; i++) value = { properties: value };
    return value;
  };
  const cyclic: Record<string, unknown> = { name: 'c' };
  cyclic.inputSchema = cyclic;
  const throwing = {
    name: 'x',
    get inputSchema(): unknown {
      throw new Error('no');
    },
  };
  const revoked = Proxy.revocable({ name: 'x' }, {});
  revoked.revoke();
  class WritesItself extends Array<unknown> {
    toJSON(): never {
      throw new Error('no');
    }
  }
  const text = 'x'.repeat(MAX_DEFINITION_BYTES / 2);
  const cases: Record<string, [unknown, string]> = {
    'a date, which has no members': [{ name: 'd', inputSchema: { default: new Date(0) } }, 'not_json'],
    'an array that writes itself': [{ name: 'a', inputSchema: { enum: WritesItself.from([1]) } }, 'not_json'],
    'four thousand million holes': [{ name: 'h', inputSchema: { enum: new Array(2 ** 32 - 1) } }, 'nodes'],
    'one long text in a thousand places': [
      { name: 's', inputSchema: { enum: Array.from({ length: 1000 }, () => text) } },
      'definition_bytes',
    ],
    'a long text that is longer when escaped': [
      { name: 'e', description: '\u0001'.repeat(2 ** 27) },
      'definition_bytes',
    ],
    'one long key in two thousand objects': [
      { name: 'k', inputSchema: { enum: Array.from({ length: 2000 }, () => ({ [text]: 0 })) } },
      'definition_bytes',
    ],
    'a cycle': [cyclic, 'depth'],
    'a hundred thousand levels': [{ name: 'd', inputSchema: nest(100_000) }, 'depth'],
    'a getter that throws': [throwing, 'not_json'],
    'a revoked proxy': [revoked.proxy, 'not_json'],
    'a BigInt': [{ name: 'b', inputSchema: { default: 1n } }, 'not_json'],
    'too many bytes': [{ name: 'l', description: 'x'.repeat(MAX_DEFINITION_BYTES) }, 'definition_bytes'],
    'too many values': [{ name: 'w', inputSchema: { enum: Array.from({ length: 300_000 }, () => 0) } }, 'nodes'],
    null: [null, 'not_a_tool'],
    'no name': [{ inputSchema: {} }, 'not_a_tool'],
    'a number': [7, 'not_a_tool'],
  };
  for (const [name, [tool, limit]] of Object.entries(cases)) {
    it(`with ${name} reach a limit and throw nothing`, () => {
      assert.deepEqual(digestTool(tool), { limit });
      const catalog = digestCatalog([{ name: 'good', inputSchema: {} }, tool]);
      assert.equal(catalog.limit, limit);
      assert.equal(catalog.digest, undefined);
      assert.equal(catalog.size, 2);
    });
  }

  it('whose name changes while it is read keep the first', () => {
    let reads = 0;
    const tool = {
      get name(): unknown {
        reads += 1;
        return reads === 1 ? 'first' : Object.create(null);
      },
    };
    assert.equal(digestCatalog([tool]).entries?.[0]?.name, 'first');
  });

  it('that are no list, or none that can be read, have no catalog', () => {
    for (const input of [null, undefined, {}, 'tools', 7, new Set()])
      assert.deepEqual(digestCatalog(input as never), { recipe: 'tools/1', size: 0, limit: 'not_a_list' });
    const list = Proxy.revocable([], {});
    list.revoke();
    assert.equal(digestCatalog(list.proxy).limit, 'not_json');
    assert.equal(digestCatalog(new Array(2 ** 32 - 1)).limit, 'tools');
  });

  it('with a member called __proto__ keep it', () => {
    const tool = (value: number) =>
      JSON.parse(`{"name":"p","inputSchema":{"properties":{"__proto__":{"const":${value}}}}}`);
    assert.notEqual(digestCatalog([tool(1)]).digest, digestCatalog([tool(2)]).digest);
  });

  it('may share parts without being taken for a cycle', () => {
    const shared = { type: 'string' };
    const tool = { name: 's', inputSchema: { properties: { a: shared, b: shared } } };
    assert.equal(
      digestCatalog([tool]).digest,
      digestCatalog([structuredClone(JSON.parse(JSON.stringify(tool)))]).digest,
    );
  });

  it('in too large a number leave only the digest of the whole', () => {
    const tools = Array.from({ length: MAX_ENTRIES + 1 }, (_, i) => ({ name: `t${i}`, inputSchema: {} }));
    const catalog = digestCatalog(tools);
    assert.equal(catalog.entries, undefined);
    assert.equal(catalog.digest?.length, 64);
  });
});

describe('the difference of two catalogs', () => {
  const entry = (name: string, digest = '1') => ({ name, digest });

  it('is told from the installed to the discovered one', () => {
    const difference = diffCatalogs(
      [entry('gone'), entry('kept'), entry('other')],
      [entry('kept'), entry('new'), entry('other', '2')],
    );
    assert.deepEqual(difference, { added: ['new'], removed: ['gone'], changed: ['other'] });
  });

  it('sees a duplicate that came or went as a change', () => {
    assert.deepEqual(diffCatalogs([entry('a')], [entry('a'), entry('a', '2')]).changed, ['a']);
  });

  it('is bounded', () => {
    const many = Array.from({ length: 100 }, (_, i) => entry(`t${i}`));
    assert.equal(diffCatalogs([], many).added.length, MAX_NAMES_LISTED);
  });
});

function randomOf(seed: number): () => number {
  let state = seed * 2654435761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 374761393) >>> 0;
    return state / 4294967296;
  };
}

function randomJson(random: () => number, depth: number): unknown {
  const pick = Math.floor(random() * (depth > 0 ? 7 : 5));
  if (pick === 0) return null;
  if (pick === 1) return random() < 0.5;
  if (pick === 2) return Math.floor(random() * 1000) - 500;
  if (pick === 3) return random() * 10 ** Math.floor(random() * 40 - 20);
  if (pick === 4) return String.fromCodePoint(0x20 + Math.floor(random() * 0x500));
  if (pick === 5) return Array.from({ length: Math.floor(random() * 4) }, () => randomJson(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length: Math.floor(random() * 4) }, () => [
      `k${Math.floor(random() * 99)}`,
      randomJson(random, depth - 1),
    ]),
  );
}

/** The same values in random order. */
function shuffle<T>(random: () => number, list: readonly T[]): T[] {
  return list
    .map((item) => ({ item, at: random() }))
    .sort((left, right) => left.at - right.at)
    .map(({ item }) => item);
}

/** The same value with the members of every object in random order; arrays stay as they are. */
function shuffleKeys(random: () => number, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffleKeys(random, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    shuffle(random, Object.entries(value)).map(([key, member]) => [key, shuffleKeys(random, member)]),
  );
}

describe('a schema that refers to another document', () => {
  const named = (schema: object) => digestCatalog([{ name: 'plain' }, { name: 't', inputSchema: schema }]).remote;
  for (const [title, schema, expected] of [
    ['by a link', { properties: { q: { $ref: 'https://host.example/q.json' } } }, ['t']],
    ['by a link with a fragment', { $ref: 'https://host.example/q.json#/a' }, ['t']],
    ['by a relative path', { anyOf: [{ $ref: 'q.json' }] }, ['t']],
    ['dynamically', { $dynamicRef: 'q.json#node' }, ['t']],
    ['by a fragment, so to itself', { $ref: '#/$defs/q', $defs: { q: {} } }, undefined],
    ['by the empty fragment', { $ref: '#' }, undefined],
    ['by an identifier that stands within', { $ref: 'q#/a', $defs: { x: { $id: 'q' } } }, undefined],
    [
      'by its own identifier',
      { $id: 'https://host.example/t', properties: { n: { $ref: 'https://host.example/t' } } },
      undefined,
    ],
    ['in a default, where it is data', { default: { $ref: 'https://host.example/q.json' } }, undefined],
    ['as the name of a property', { properties: { $ref: { type: 'string' } } }, undefined],
    ['by its dialect alone', { $schema: 'https://json-schema.org/draft/2020-12/schema' }, undefined],
    ['by something that is no text', { $ref: 7 }, undefined],
  ] as const) {
    it(`${title} is ${expected ? '' : 'not '}named`, () => assert.deepEqual(named(schema), expected));
  }

  it('is named once, however many definitions a name has, and no more of them than are listed', () => {
    const far = (name: string) => ({ name, inputSchema: { $ref: 'q.json' } });
    assert.deepEqual(digestCatalog([far('a'), far('a')]).remote, ['a']);
    const many = Array.from({ length: MAX_NAMES_LISTED + 5 }, (_, i) => far(`t${i}`));
    assert.equal(digestCatalog(many).remote?.length, MAX_NAMES_LISTED);
  });
});
