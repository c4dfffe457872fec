// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** What holds of every definition and of every observation: digests see each change and no order, the codec loses nothing. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { observationFault } from '../../semconv/check-observation.ts';
import { digestCatalog, digestTool, encodeObservation, projectTool } from '../../semconv/index.ts';
import { decodeObservation } from '../../semconv/observation-attributes.ts';
import { arbitraryObservation } from '../support/arbitrary-observation.ts';
import { runs } from '../support/fixed-runs.ts';

const word = fc.constantFrom('a', 'b', 'c', 'required', 'type', 'properties', '__proto__', 'description');
const names = fc.uniqueArray(word, { maxLength: 4 });

interface Schema {
  readonly [keyword: string]: unknown;
}

/** Schemas with the keywords that the projection knows, and data in which the same words mean nothing. */
const json = fc.jsonValue({ maxDepth: 1 });
const { schema } = fc.letrec<{ schema: Schema; inner: Schema }>((tie) => ({
  schema: fc.record(
    {
      type: fc.oneof(fc.constantFrom('string', 'object'), fc.uniqueArray(fc.constantFrom('null', 'string', 'array'))),
      required: names,
      properties: fc.dictionary(word, tie('inner'), { maxKeys: 2 }),
      anyOf: fc.array(tie('inner'), { maxLength: 2 }),
      dependentRequired: fc.dictionary(word, names, { maxKeys: 2 }),
      description: fc.string(),
      default: json,
      enum: fc.array(json, { maxLength: 3 }),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Schema>,
  inner: fc.oneof({ maxDepth: 2 }, fc.record({ required: names, default: json }, { requiredKeys: [] }), tie('schema')),
}));

const tool = fc.record(
  {
    name: fc.string({ minLength: 1, maxLength: 8 }),
    title: fc.string(),
    description: fc.string(),
    inputSchema: schema,
    outputSchema: schema,
    annotations: fc.record({ title: fc.string(), readOnlyHint: fc.boolean() }, { requiredKeys: [] }),
  },
  { requiredKeys: ['name'] },
);

/** The same in another order: keys at every depth, and names in sets. Data keeps the order of its lists. */
function reorder(value: unknown, place: 'schema' | 'schemas' | 'sets' | 'set' | 'data'): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => reorder(item, place === 'schemas' ? 'schema' : place));
    return place === 'set' ? items.toReversed() : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toReversed();
  const below = (key: string) => {
    if (place === 'schemas') return 'schema';
    if (place === 'sets') return 'set';
    if (place !== 'schema') return 'data';
    if (key === 'properties') return 'schemas';
    if (key === 'anyOf') return 'schema';
    if (key === 'dependentRequired') return 'sets';
    return key === 'required' || key === 'type' ? 'set' : 'data';
  };
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, member] of entries) copy[key] = reorder(member, below(key));
  return copy;
}

function reorderTool(one: object): object {
  const entries = Object.entries(one).toReversed();
  return Object.fromEntries(
    entries.map(([key, member]) => [key, reorder(member, key.endsWith('Schema') ? 'schema' : 'data')]),
  );
}

/** Ways to every leaf of plain JSON. */
function* leaves(value: unknown, way: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value !== 'object' || value === null) yield way;
  else for (const [key, member] of Object.entries(value)) yield* leaves(member, [...way, key]);
}

function changeAt(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return typeof value === 'string' ? `${value}\u2603` : value === null ? false : null;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value)
    ? [...value]
    : Object.assign(Object.create(null), value);
  Reflect.set(copy, key, changeAt(Reflect.get(value as object, key), rest));
  return copy;
}

describe('the digest', () => {
  it('sees no order of tools, of keys, or within sets of names', () => {
    fc.assert(
      fc.property(fc.array(tool, { maxLength: 5 }), (tools) => {
        const again = tools.toReversed().map(reorderTool);
        assert.deepEqual(digestCatalog(again), digestCatalog(tools));
      }),
      runs(1000),
    );
  });

  it('sees every change of a value that is projected', () => {
    fc.assert(
      fc.property(tool, fc.nat(), (one, choice) => {
        const projected = projectTool(one);
        assert.ok('value' in projected);
        const ways = [...leaves(projected.value)];
        const changed = changeAt(projected.value, ways[choice % ways.length] ?? []);
        const [before, after] = [digestTool(one), digestTool(changed)];
        assert.ok('digest' in before && (!('digest' in after) || after.digest !== before.digest));
      }),
      runs(2000),
    );
  });

  it('of anything at all is a digest or names a bound, and nothing is thrown', () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSparseArray: true,
      withTypedArray: true,
    });
    const cyclic = { name: 'c', inputSchema: {} as Record<string, unknown> };
    cyclic.inputSchema.properties = cyclic;
    const hostile = [
      cyclic,
      new Proxy({}, { get: () => assert.fail() }),
      {
        get name() {
          return assert.fail();
        },
      },
    ];
    const junk = fc.oneof(anything, fc.constantFrom(...hostile), tool);
    fc.assert(
      fc.property(fc.oneof(fc.array(junk, { maxLength: 3 }), anything), (tools) => {
        const catalog = digestCatalog(tools as readonly unknown[]);
        assert.notEqual(catalog.digest === undefined, catalog.limit === undefined);
      }),
      runs(2000),
    );
  });
});

describe('the codec', () => {
  it('gives back every observation as it was', () => {
    fc.assert(
      fc.property(arbitraryObservation, (observation) => {
        assert.equal(observationFault(observation), undefined);
        const startTimeMs = observation.kind === 'traversal' ? observation.startTimeMs : observation.timeMs;
        const timing = {
          startTimeMs,
          endTimeMs: observation.timeMs,
          ...(observation.span && { span: observation.span }),
        };
        assert.deepEqual(decodeObservation(encodeObservation(observation), timing), observation);
      }),
      runs(3000),
    );
  });
});
