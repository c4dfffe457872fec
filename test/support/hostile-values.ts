// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Values that a host may hold where plain data is expected. What answers to being read with an exception, or without an end,
 * stands as a word until `arm` puts the real thing there: fast-check looks at what it generates, and prints it.
 */

import assert from 'node:assert/strict';
import fc from 'fast-check';

const fail = () => assert.fail();

const HOSTILE: Readonly<Record<string, () => unknown>> = {
  '<proxy that throws>': () => new Proxy({}, { get: fail, has: fail, ownKeys: fail }),
  '<list that throws>': () => new Proxy([], { get: fail }),
  '<proxy without members>': () => new Proxy({}, { ownKeys: fail }),
  '<revoked list>': () => {
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    return proxy;
  },
  '<getter that throws>': () => Object.defineProperty({}, 'required', { enumerable: true, get: fail }),
  '<getter that throws nothing>': () =>
    Object.defineProperty({}, 'name', {
      enumerable: true,
      get: () => {
        throw undefined;
      },
    }),
  '<cycle>': () => {
    const cyclic: Record<string, unknown> = {};
    return Object.assign(cyclic, { name: 'c', inputSchema: cyclic, properties: { p: cyclic } });
  },
  '<very deep>': () => Array.from({ length: 2000 }).reduce<object>((items) => ({ items }), {}),
};

/** Whatever JavaScript can hold. */
export const anything: fc.Arbitrary<unknown> = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSparseArray: true,
  withTypedArray: true,
});

/** Anything, as it is or below keywords. */
const part = fc.letrec<{ part: unknown; keywords: unknown }>((tie) => ({
  part: fc.oneof({ maxDepth: 2 }, anything, fc.constantFrom(...Object.keys(HOSTILE)), tie('keywords')),
  keywords: fc.record(
    { properties: fc.dictionary(fc.string(), tie('part'), { maxKeys: 2 }), required: tie('part'), enum: tie('part') },
    { requiredKeys: [] },
  ),
})).part;

/** Anything, and what looks like a tool and has anything for its members. */
export const unarmed: fc.Arbitrary<unknown> = fc.oneof(
  part,
  fc.record(
    { name: fc.oneof(fc.string(), part), description: part, inputSchema: part, annotations: part, execution: part },
    { requiredKeys: ['name', 'inputSchema'] },
  ),
);

/** A copy in which words have become what they stand for. */
export function arm(value: unknown): unknown {
  if (typeof value === 'string') return Object.hasOwn(HOSTILE, value) ? HOSTILE[value]?.() : value;
  if (Array.isArray(value)) return value.map(arm);
  if (Object.prototype.toString.call(value) !== '[object Object]') return value;
  return Object.fromEntries(Object.entries(value as object).map(([key, member]) => [key, arm(member)]));
}
