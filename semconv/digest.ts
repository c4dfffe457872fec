// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Canonical bytes of a projection, and their sha256. Pure. The canonical form is RFC 8785's: the values digested are plain
 * JSON without prototypes, which `fast-json-stable-stringify` writes with keys sorted by UTF-16 code units and numbers as
 * ECMAScript prints them; the RFC's own vectors and a second implementation hold it to that.
 */

import { createHash } from 'node:crypto';
import stringify from 'fast-json-stable-stringify';
import { type LimitName, MAX_DEFINITION_BYTES, MAX_ENTRIES, MAX_NAMES_LISTED } from './limits.ts';
import type { Catalog, CatalogEntry } from './observation.ts';
import { type Json, PROJECTION_RECIPE, type ProjectionOptions, projectTool } from './projection.ts';

/** Hex digits of a tool's digest in a {@link CatalogEntry}: 128 bits. */
const ENTRY_DIGITS = 32;

/** RFC 8785 form of plain JSON: only own enumerable members, no `undefined`, no cycles. */
export function canonicalize(value: Json): string {
  return stringify(value);
}

export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

export type DigestedTool =
  | { readonly name: string; readonly digest: string; readonly canonical: string }
  | { readonly limit: LimitName };

/** 64 hex digits over one definition's projection. */
export function digestTool(tool: unknown, options: ProjectionOptions = {}): DigestedTool {
  const projected = projectTool(tool, options);
  if ('limit' in projected) return projected;
  const canonical = canonicalize(projected.value);
  // UTF-16 length is a lower bound of the bytes, so the exact count is needed only near the limit.
  if (canonical.length > MAX_DEFINITION_BYTES || Buffer.byteLength(canonical) > MAX_DEFINITION_BYTES)
    return { limit: 'definition_bytes' };
  return { name: String(projected.value.name), digest: sha256(canonical), canonical };
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Digests a set of definitions: sha256 over the canonical JSON of the array of projections, sorted by name (UTF-16 code
 * units) and, where a name occurs twice, by canonical text, so that order is never drift.
 */
export function digestCatalog(tools: readonly unknown[], options: ProjectionOptions = {}): Catalog {
  const digested: Exclude<DigestedTool, { limit: LimitName }>[] = [];
  for (const tool of tools) {
    const one = digestTool(tool, options);
    if ('limit' in one) return { recipe: PROJECTION_RECIPE, size: tools.length, limit: one.limit };
    digested.push(one);
  }
  digested.sort((a, b) => byText(a.name, b.name) || byText(a.canonical, b.canonical));
  const hash = createHash('sha256').update('[');
  digested.forEach((one, index) => {
    hash.update(index === 0 ? one.canonical : `,${one.canonical}`, 'utf8');
  });
  const duplicates = [
    ...new Set(digested.filter((one, i) => digested[i - 1]?.name === one.name).map((one) => one.name)),
  ];
  const entries: CatalogEntry[] | undefined =
    digested.length > MAX_ENTRIES
      ? undefined
      : digested.map(({ name, digest }) => ({ name, digest: digest.slice(0, ENTRY_DIGITS) }));
  return {
    recipe: PROJECTION_RECIPE,
    size: tools.length,
    digest: hash.update(']').digest('hex'),
    ...(entries && { entries }),
    ...(duplicates.length > 0 && { duplicates: duplicates.slice(0, MAX_NAMES_LISTED) }),
  };
}
