// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Random observations of every kind, made from the same table that checks them, with digests of the right length. */

import fc from 'fast-check';
import type { Catalog, CatalogEntry, Observation, ObservationKind } from '../../semconv/observation.ts';
import { IDENTITY_SHAPE, KIND_SHAPES, type Member, type Shape } from '../../semconv/observation-shapes.ts';

const PLAIN = { noNullPrototype: true } as const;

const hex = (digits: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits });

const microseconds = (years: number): fc.Arbitrary<number> =>
  fc.integer({ min: 1, max: years * 31_557_600_000_000 }).map((count) => count / 1000);

/** What the table does not tell of a member, by its name. */
const NAMED: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  cursors: fc.array(hex(16), { maxLength: 3 }),
  digest: hex(32),
  masked: hex(32),
  principal: hex(16),
  toolDigest: hex(32),
  // It stands as seconds on spans, where microseconds survive some decades.
  ttlMs: microseconds(30),
};

const policy = fc.oneof(
  fc.record({ kind: fc.constantFrom('on_reconnect', 'before_run', 'pinned') }, PLAIN),
  fc.record({ kind: fc.constant('interval'), seconds: fc.nat() }, PLAIN),
);

function arbitraryMember(key: string, member: Member | Omit<Member, 'optional'>): fc.Arbitrary<unknown> {
  if (key in NAMED) return NAMED[key] as fc.Arbitrary<unknown>;
  if (key === 'catalog') return arbitraryCatalog(member as Member);
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
      return microseconds(120);
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

/** Either a digest or a limit, names for all tools or for none, and no list that is there and empty. */
function arbitraryCatalog(member: Member): fc.Arbitrary<Catalog> {
  const shape = member.type === 'shape' ? member.shape : {};
  return fc.tuple(arbitraryShape(shape), hex(64)).map(([members, digest]) => {
    const { size, digest: _, limit, duplicates, remote, entries, ...rest } = members as unknown as Catalog;
    return {
      ...rest,
      size: entries?.length ?? size,
      ...(limit === undefined ? { digest } : { limit }),
      ...(entries && { entries: entries.map(withoutNeedlessMask) }),
      ...(duplicates && duplicates.length > 0 && { duplicates }),
      ...(remote && remote.length > 0 && { remote }),
    };
  });
}

function withoutNeedlessMask({ masked, ...entry }: CatalogEntry): CatalogEntry {
  return masked === undefined || masked === entry.digest ? entry : { ...entry, masked };
}

export const arbitraryObservation: fc.Arbitrary<Observation> = fc.oneof(
  ...(Object.keys(KIND_SHAPES) as ObservationKind[]).map((kind) =>
    arbitraryShape({ ...IDENTITY_SHAPE, ...KIND_SHAPES[kind] }).map((members) => ({ kind, ...members }) as Observation),
  ),
);
