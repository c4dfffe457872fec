// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Random observations of every kind, made from the same table that checks them, with digests of the right length. */

import fc from 'fast-check';
import type { Catalog, Observation, ObservationKind } from '../../semconv/observation.ts';
import { IDENTITY_SHAPE, KIND_SHAPES, type Member, type Shape } from '../../semconv/observation-shapes.ts';

const PLAIN = { noNullPrototype: true } as const;

const hex = (digits: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits });

/** Digests by the names of the members that hold them. */
const DIGESTS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  cursors: fc.array(hex(16), { maxLength: 3 }),
  principal: hex(16),
  toolDigest: hex(32),
};

const entry = fc.record(
  { name: fc.string(), digest: hex(32), masked: hex(32) },
  { requiredKeys: ['name', 'digest'], ...PLAIN },
);

/** Either a digest or a limit, names for all tools or for none, and no list that is there and empty. */
const catalog: fc.Arbitrary<Catalog> = fc.oneof(
  fc.record({ recipe: fc.constant('tools/1'), size: fc.nat(), limit: fc.string() }, PLAIN),
  fc
    .record({
      entries: fc.option(fc.array(entry, { maxLength: 4 }), { nil: undefined }),
      digest: hex(64),
      revision: fc.option(fc.nat(), { nil: undefined }),
      duplicates: fc.option(fc.array(fc.string(), { minLength: 1, maxLength: 2 }), { nil: undefined }),
      size: fc.nat(),
    })
    .map(
      ({ entries, digest, revision, duplicates, size }): Catalog => ({
        recipe: 'tools/1',
        size: entries?.length ?? size,
        digest,
        ...(revision !== undefined && { revision }),
        ...(entries && { entries: entries as NonNullable<Catalog['entries']> }),
        ...(duplicates && { duplicates }),
      }),
    ),
);

const policy = fc.oneof(
  fc.record({ kind: fc.constantFrom('on_reconnect', 'before_run', 'pinned') }, PLAIN),
  fc.record({ kind: fc.constant('interval'), seconds: fc.nat() }, PLAIN),
);

function arbitraryMember(key: string, member: Member | Omit<Member, 'optional'>): fc.Arbitrary<unknown> {
  if (key in DIGESTS) return DIGESTS[key] as fc.Arbitrary<unknown>;
  if (key === 'catalog') return catalog;
  if (key === 'policy') return policy;
  const check = member as Member;
  switch (check.type) {
    case 'text':
      return fc.string();
    case 'boolean':
      return fc.boolean();
    case 'words':
      return fc.constantFrom(...check.words);
    case 'count':
      return fc.integer({ min: key === 'sequence' ? 1 : 0, max: Number.MAX_SAFE_INTEGER });
    case 'number':
      return fc.integer({ min: 1, max: 4_000_000_000_000 });
    case 'list':
      return fc.array(arbitraryMember('', check.of), { maxLength: 3 });
    case 'shape':
      return arbitraryShape(check.shape);
  }
}

function arbitraryShape(shape: Shape): fc.Arbitrary<Record<string, unknown>> {
  const members = Object.entries(shape);
  const model = Object.fromEntries(members.map(([key, member]) => [key, arbitraryMember(key, member)]));
  const requiredKeys = members.filter(([, member]) => !member.optional).map(([key]) => key);
  return fc.record(model, { requiredKeys, noNullPrototype: true });
}

export const arbitraryObservation: fc.Arbitrary<Observation> = fc.oneof(
  ...(Object.keys(KIND_SHAPES) as ObservationKind[]).map((kind) =>
    arbitraryShape({ ...IDENTITY_SHAPE, ...KIND_SHAPES[kind] }).map((members) => ({ kind, ...members }) as Observation),
  ),
);
