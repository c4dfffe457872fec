// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Canonical bytes of a projection, and their sha256. Pure. The canonical form is RFC 8785's: the values digested are plain
 * JSON without prototypes, which `fast-json-stable-stringify` writes with keys sorted by UTF-16 code units and numbers as
 * ECMAScript prints them; the RFC's own vectors and a second implementation hold it to that.
 */

import { createHash } from 'node:crypto';
import stringify from 'fast-json-stable-stringify';
import { type LimitName, MAX_DEFINITION_BYTES, MAX_ENTRIES, MAX_NAMES_LISTED, MAX_TEXT, MAX_TOOLS } from './limits.ts';
import type { Catalog, CatalogEntry } from './observation.ts';
import { type Json, PROJECTION_RECIPE, type ProjectionOptions, projectTool } from './projection.ts';
import { maskVolatile, mayBeVolatile } from './volatile.ts';

/** Hex digits of a tool's digest in a {@link CatalogEntry}: 128 bits. */
const ENTRY_DIGITS = 32;

/** RFC 8785 form of plain JSON: only own enumerable members, no `undefined`, no cycles. */
export function canonicalize(value: Json): string {
  return stringify(value);
}

export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

interface WholeTool {
  readonly name: string;
  readonly digest: string;
  readonly canonical: string;
  /** The digest with volatile prose masked, where there is any. */
  readonly masked?: string;
  readonly remote: boolean;
}

export type DigestedTool = WholeTool | { readonly limit: LimitName };

/** 64 hex digits over one definition's projection. */
export function digestTool(tool: unknown, options: ProjectionOptions = {}): DigestedTool {
  const projected = projectTool(tool, options);
  if ('limit' in projected) return projected;
  const { value } = projected;
  if (value.name.length > MAX_TEXT) return { limit: 'name' };
  const canonical = canonicalize(value);
  // UTF-16 length is a lower bound of the bytes, so the exact count is needed only near the limit.
  if (canonical.length > MAX_DEFINITION_BYTES || Buffer.byteLength(canonical) > MAX_DEFINITION_BYTES)
    return { limit: 'definition_bytes' };
  const masked = mayBeVolatile(canonical) ? maskVolatile(value) : value;
  const whole = { name: value.name, digest: sha256(canonical), canonical, remote: projected.remote };
  return masked === value ? whole : { ...whole, masked: sha256(canonicalize(masked)) };
}

function toEntry({ name, digest, masked }: WholeTool): CatalogEntry {
  const entry = { name, digest: digest.slice(0, ENTRY_DIGITS) };
  return masked === undefined ? entry : { ...entry, masked: masked.slice(0, ENTRY_DIGITS) };
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Digests a set of definitions: sha256 over the canonical JSON of the array of projections, sorted by name (UTF-16 code
 * units) and, where a name occurs twice, by canonical text, so that order is never drift. The first definition that has no
 * digest leaves the whole without one. Never throws: anything but an array gives the limit `not_a_list`, and one that cannot
 * be read `not_json`.
 */
export function digestCatalog(tools: readonly unknown[], options: ProjectionOptions = {}): Catalog {
  const digested: WholeTool[] = [];
  let size = 0;
  try {
    if (!Array.isArray(tools)) return { recipe: PROJECTION_RECIPE, size, limit: 'not_a_list' };
    const { length } = tools;
    // A proxy may say anything.
    if (!Number.isSafeInteger(length) || length < 0) return { recipe: PROJECTION_RECIPE, size, limit: 'not_a_list' };
    size = length;
    if (size > MAX_TOOLS) return { recipe: PROJECTION_RECIPE, size, limit: 'tools' };
    for (let index = 0; index < size; index++) {
      const one = digestTool(tools[index], options);
      if ('limit' in one) return { recipe: PROJECTION_RECIPE, size, limit: one.limit };
      digested.push(one);
    }
  } catch {
    return { recipe: PROJECTION_RECIPE, size, limit: 'not_json' };
  }
  digested.sort((a, b) => byText(a.name, b.name) || byText(a.canonical, b.canonical));
  const hash = createHash('sha256').update('[');
  digested.forEach((one, index) => {
    hash.update(index === 0 ? one.canonical : `,${one.canonical}`, 'utf8');
  });
  const duplicates = [
    ...new Set(digested.filter((one, i) => digested[i - 1]?.name === one.name).map((one) => one.name)),
  ];
  const remote = [...new Set(digested.filter((one) => one.remote).map((one) => one.name))];
  const entries: CatalogEntry[] | undefined = digested.length > MAX_ENTRIES ? undefined : digested.map(toEntry);
  return {
    recipe: PROJECTION_RECIPE,
    size,
    digest: hash.update(']').digest('hex'),
    ...(entries && { entries }),
    ...(duplicates.length > 0 && { duplicates: duplicates.slice(0, MAX_NAMES_LISTED) }),
    ...(remote.length > 0 && { remote: remote.slice(0, MAX_NAMES_LISTED) }),
  };
}
