// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Random tool definitions of which every member is projected, and the ways to write one anew: in another order, or changed. */

import fc from 'fast-check';

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
      enum: fc.oneof(fc.array(json, { maxLength: 3 }), names),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Schema>,
  inner: fc.oneof({ maxDepth: 2 }, fc.record({ required: names, default: json }, { requiredKeys: [] }), tie('schema')),
}));

export const tool: fc.Arbitrary<object> = fc.record(
  {
    name: fc.oneof(fc.constantFrom('a', 'b'), fc.string({ minLength: 1, maxLength: 8 })),
    title: fc.string(),
    description: fc.string(),
    inputSchema: schema,
    outputSchema: schema,
    annotations: fc.record({ title: fc.string(), readOnlyHint: fc.boolean() }, { requiredKeys: [] }),
  },
  { requiredKeys: ['name'] },
);

/** What is found at a place: a schema, schemas by name, sets of names by name, one set of names, or data. */
type Place = 'schema' | 'schemas' | 'sets' | 'set' | 'data';

function placeBelow(place: Place, key: string): Place {
  if (place === 'schemas') return 'schema';
  if (place === 'sets') return 'set';
  if (place !== 'schema') return 'data';
  if (key === 'properties') return 'schemas';
  if (key === 'anyOf') return 'schema';
  if (key === 'dependentRequired') return 'sets';
  return key === 'required' || key === 'type' ? 'set' : 'data';
}

/** The same in another order: keys at every depth, and names in sets. Data keeps the order of its lists. */
function reorder(value: unknown, place: Place): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => reorder(item, place === 'schemas' ? 'schema' : place));
    return place === 'set' ? items.toReversed() : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toReversed();
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, member] of entries) copy[key] = reorder(member, placeBelow(place, key));
  return copy;
}

export function reorderTool(one: object): object {
  const entries = Object.entries(one).toReversed();
  return Object.fromEntries(
    entries.map(([key, member]) => [key, reorder(member, key.endsWith('Schema') ? 'schema' : 'data')]),
  );
}

export type Key = string | number;
export type Change = 'other' | 'drop' | 'rename' | 'swap';

/** Ways to every value inside plain JSON. */
export function* waysInto(value: unknown, way: readonly Key[] = []): Generator<readonly Key[]> {
  if (way.length > 0) yield way;
  if (typeof value !== 'object' || value === null) return;
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
  for (const key of keys) yield* waysInto(Reflect.get(value, key), [...way, key]);
}

/** A copy with the value at the end of the way changed; undefined where this change is none, or none that is to be seen. */
export function change(value: unknown, [key, ...rest]: readonly Key[], how: Change): unknown {
  const found = key !== undefined && Reflect.get(value as object, key);
  const inside = rest.length > 0;
  const member = inside ? change(found, rest, how) : otherThan(found);
  if (inside && member === undefined) return undefined;
  if (Array.isArray(value)) {
    const at = Number(key);
    if (inside || how === 'other') return value.with(at, member);
    if (how === 'drop') return value.toSpliced(at, 1);
    const isSame = at === 0 || JSON.stringify(found) === JSON.stringify(value[at - 1]);
    return how === 'rename' || isSame ? undefined : value.toSpliced(at - 1, 2, found, value[at - 1]);
  }
  if (!inside && how === 'swap') return undefined;
  const members = Object.entries(value as object).flatMap(([name, each]) => {
    if (name !== key) return [[name, each]];
    if (inside || how === 'other') return [[name, member]];
    return how === 'drop' ? [] : [[`${name}\u2603`, each]];
  });
  return Object.fromEntries(members);
}

function otherThan(value: unknown): unknown {
  return typeof value === 'string' ? `${value}\u2603` : value === null ? false : null;
}

/** Whether the value at the end of the way is one of a set of names, whose order means nothing. */
export function isInSet(way: readonly Key[]): boolean {
  const [schema, ...inside] = way;
  if (schema !== 'inputSchema' && schema !== 'outputSchema') return false;
  let place: Place = 'schema';
  for (const key of inside.slice(0, -1)) place = typeof key === 'number' ? place : placeBelow(place, key);
  return place === 'set';
}
