// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { CatalogMemo } from '../../semconv/catalog-memo.ts';
import { digestCatalog } from '../../semconv/index.ts';
import { MAX_DEFINITION_BYTES, MAX_ENTRIES } from '../../semconv/limits.ts';

/** With getters kept as getters. */
const tool = (name: string, more: object = {}) =>
  Object.defineProperties({ name, inputSchema: { type: 'object' } }, Object.getOwnPropertyDescriptors(more)) as {
    name: string;
    inputSchema: object;
  };
const clone = <T>(value: T): T => JSON.parse(JSON.stringify(value));
const list = (size: number, prefix = 't') => Array.from({ length: size }, (_, index) => tool(`${prefix}${index}`));

describe('the memo of catalogs', () => {
  it('answers an equal list with the same object, whoever holds the list', () => {
    const memo = new CatalogMemo();
    const tools = list(3);
    assert.equal(memo.digest(clone(tools)), memo.digest(tools));
    assert.equal(memo.size, 1);
  });

  it('tells lists apart that differ in a member', () => {
    const memo = new CatalogMemo();
    const before = memo.digest([tool('a')]);
    assert.notEqual(memo.digest([tool('a', { description: 'b' })]).digest, before.digest);
    assert.equal(memo.digest([tool('a')]), before);
  });

  it('tells options apart', () => {
    const memo = new CatalogMemo();
    const tools = [tool('a', { execution: { taskSupport: 'optional' } })];
    const [whole, without] = [memo.digest(tools), memo.digest(tools, { execution: false })];
    assert.notEqual(whole.digest, without.digest);
    assert.deepEqual(without, digestCatalog(tools, { execution: false }));
  });

  it('sees a list that was changed in place', () => {
    const memo = new CatalogMemo();
    const tools: { name: string; description?: string }[] = [tool('a')];
    memo.digest(tools);
    (tools[0] as { description?: string }).description = 'changed';
    assert.deepEqual(memo.digest(tools), digestCatalog(tools));
  });

  it('forgets the catalog that was used longest ago, past a number of them', () => {
    const memo = new CatalogMemo({ catalogs: 2 });
    const a = memo.digest([tool('a')]);
    const b = memo.digest([tool('b')]);
    assert.equal(memo.digest([tool('a')]), a);
    memo.digest([tool('c')]);
    assert.equal(memo.size, 2);
    assert.equal(memo.digest([tool('a')]), a);
    assert.notEqual(memo.digest([tool('b')]), b);
  });

  it('forgets the catalogs that were used longest ago, past a total of characters', () => {
    const memo = new CatalogMemo({ characters: 10_000 });
    for (let round = 0; round < 50; round++) memo.digest(list(20, `r${round}_`));
    assert.ok(memo.size > 0 && memo.size <= 10_000 / (20 * 80), String(memo.size));
    const held = memo.size;
    memo.digest(list(500));
    assert.equal(memo.size, 0, `${held} were held, and one is larger than all room`);
    memo.digest([tool('a')]);
    assert.equal(memo.size, 1);
  });

  it('counts the names that a catalog lists beside its entries', () => {
    const name = 'n'.repeat(3000);
    const elsewhere = { inputSchema: { $ref: 'https://example.org/schema.json' } };
    for (const more of [[tool(name), tool(name)], [tool(name, elsewhere)]]) {
      const memo = new CatalogMemo({ characters: 2000 });
      memo.digest(list(MAX_ENTRIES + 1));
      assert.equal(memo.size, 1);
      memo.digest([...list(MAX_ENTRIES + 1), ...more]);
      assert.equal(memo.size, 0);
    }
  });

  it('remembers nothing that has no digest', () => {
    const memo = new CatalogMemo();
    memo.digest([{ name: 7 }]);
    memo.digest([tool('a', { description: 'x'.repeat(MAX_DEFINITION_BYTES) })]);
    assert.equal(memo.size, 0);
  });
});

/** Each makes its input anew, since reading may change it. */
const INPUTS: Record<string, () => unknown> = {
  'no tools': () => [],
  'many tools': () => list(MAX_ENTRIES + 1),
  'one name twice': () => [tool('b'), tool('a'), tool('b')],
  'volatile prose': () => [tool('a', { description: 'made at 2026-01-31T10:11:12Z' })],
  'other members': () => [tool('a', { _meta: { any: [1, 'x', null] }, icons: [] })],
  'undefined members': () => [tool('a', { title: undefined, inputSchema: { default: undefined, enum: [undefined] } })],
  'a name that is undefined': () => [tool('a', { name: undefined })],
  'an undefined tool': () => [undefined],
  'a function for a title': () => [tool('a', { title: () => 'x' })],
  'a symbol for a title': () => [tool('a', { title: Symbol('x') })],
  'a function in a schema': () => [tool('a', { inputSchema: { default: () => 1 } })],
  'a symbol in an array': () => [tool('a', { inputSchema: { enum: [Symbol('x')] } })],
  'minus zero': () => [tool('a', { inputSchema: { default: -0, enum: [-0, 0] } })],
  'numbers that JSON has not': () => [tool('a', { title: Number.NaN, inputSchema: { enum: [Number.NaN, -Infinity] } })],
  'numbers at the edge': () => [tool('a', { inputSchema: { enum: [5e-324, 1e21, 2 ** 53, 0.1 + 0.2] } })],
  'half a surrogate pair': () => [tool('a', { description: '\ud800' }), tool('\udc00')],
  'a member called __proto__': () =>
    JSON.parse('[{"name":"a","inputSchema":{"properties":{"__proto__":{"const":1}}}}]'),
  'a tool called __proto__ with one': () => JSON.parse('[{"name":"__proto__","__proto__":{"title":"t"}}]'),
  'objects without prototype': () => [Object.assign(Object.create(null), tool('a'))],
  'a schema without prototype': () => [tool('a', { inputSchema: Object.assign(Object.create(null), { const: 1 }) })],
  'a name that is inherited': () => [Object.create({ name: 'a', inputSchema: {} })],
  'members that are not enumerated': () => [
    Object.defineProperty(tool('a'), 'description', { value: 'hidden', enumerable: false }),
    tool('b', { annotations: Object.defineProperty({}, 'title', { value: 'hidden', enumerable: false }) }),
  ],
  'keyed by symbols': () => [tool('a', { [Symbol('x')]: 1 })],
  'a cycle': () => {
    const schema: Record<string, unknown> = {};
    schema.properties = { again: schema };
    return [tool('a', { inputSchema: schema })];
  },
  'a cycle in what is not compared': () => {
    const meta: Record<string, unknown> = {};
    meta.again = meta;
    return [tool('a', { _meta: meta })];
  },
  itself: () => {
    const tools: unknown[] = [];
    tools.push(tools);
    return tools;
  },
  'a thousand million leaves of shared parts': () => {
    let schema: object = { const: 1 };
    for (let level = 0; level < 30; level++) schema = { allOf: [schema, schema] };
    return [tool('a', { inputSchema: schema })];
  },
  'the same where nothing is compared': () => {
    let meta: object = {};
    for (let level = 0; level < 30; level++) meta = { a: meta, b: meta };
    return [tool('a', { _meta: meta })];
  },
  'a long text in many places': () => {
    const text = 'x'.repeat(2 ** 20);
    return [tool('a', { _meta: Array.from({ length: 100_000 }, () => text) })];
  },
  'a getter that changes': () => {
    let reads = 0;
    return [
      {
        get name(): string {
          reads += 1;
          return `read ${reads}`;
        },
      },
    ];
  },
  'a getter that grows': () => {
    let reads = 0;
    return [
      tool('a', {
        get title(): unknown {
          reads += 1;
          return reads === 1 ? 'small' : new Array(2 ** 32 - 1);
        },
      }),
    ];
  },
  'a getter that throws': () => [
    tool('a', {
      get description(): string {
        throw new Error('no');
      },
    }),
  ],
  'a getter in a list': () => [Object.defineProperty([1], 0, { get: () => 2, enumerable: true })],
  'a tool that writes itself': () => [tool('a', { toJSON: () => tool('other') })],
  'a list that writes itself': () => Object.assign([tool('a')], { toJSON: () => [] }),
  'a property called toJSON': () => [tool('a', { inputSchema: { properties: { toJSON: { type: 'string' } } } })],
  'a date': () => [tool('a', { inputSchema: { default: new Date(0) } })],
  'a BigInt': () => [tool('a', { inputSchema: { default: 1n } })],
  'boxed values': () => [
    tool('a', { title: new String('x'), inputSchema: { enum: [new Number(1), new Boolean(false)] } }),
  ],
  'a map and bytes': () => [tool('a', { inputSchema: { default: new Map([[1, 2]]), const: new Uint8Array(3) } })],
  holes: () => [tool('a', { inputSchema: { enum: new Array(5) } })],
  'four thousand million holes': () => new Array(2 ** 32 - 1),
  'a list of another class': () => class extends Array<unknown> {}.from([tool('a')]),
  'a hundred thousand levels': () => {
    let schema: object = {};
    for (let level = 0; level < 100_000; level++) schema = { properties: schema };
    return [tool('a', { inputSchema: schema })];
  },
  'ten million characters': () => [tool('a', { description: 'x'.repeat(10_000_000) })],
  proxies: () => new Proxy([new Proxy(tool('a'), {})], {}),
  'a revoked proxy': () => {
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    return proxy;
  },
  'a proxy that throws': () => [
    new Proxy(tool('a'), {
      ownKeys: () => {
        throw new Error('no');
      },
    }),
  ],
  'no list': () => ({ length: 1, 0: tool('a') }),
  null: () => null,
  'a text': () => 'tools',
};

describe('a catalog from the memo', () => {
  const memo = new CatalogMemo();
  for (const [name, make] of Object.entries(INPUTS)) {
    it(`equals a digest of its own of ${name}, the first time and again`, () => {
      for (const options of [{}, { execution: false }]) {
        const expected = digestCatalog(make() as unknown[], options);
        for (let time = 1; time <= 3; time++) assert.deepEqual(memo.digest(make() as unknown[], options), expected);
      }
    });
  }

  for (const file of ['catalogs', 'same', 'different']) {
    it(`equals a digest of its own for every vector in ${file}.json`, () => {
      const text = readFileSync(new URL(`./vectors/${file}.json`, import.meta.url), 'utf8');
      for (const vector of JSON.parse(text))
        for (const part of ['input', 'left', 'right'])
          if (vector[part]) assert.deepEqual(memo.digest(vector[part]), digestCatalog(vector[part]));
    });
  }

  it('does not depend on what an earlier list became later', () => {
    let reads = 0;
    const changing = new Proxy([tool('a')], {
      get: (target, key, receiver) => {
        if (key === '0') reads += 1;
        return key === '0' && reads > 1 ? tool('b') : Reflect.get(target, key, receiver);
      },
    });
    const own = new CatalogMemo();
    own.digest(changing);
    for (const name of ['a', 'b']) assert.deepEqual(own.digest([tool(name)]), digestCatalog([tool(name)]));
  });
});
