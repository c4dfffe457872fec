// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Masks what servers write anew into the prose of a definition each time: a temporary file's UUID, the time of a build, a
 * hexadecimal token (public cases: a fresh `/tmp/settings-<uuid>.json` in a description on each query). Pure. Only prose is masked,
 * `title`, `description` and `$comment`; names, types, defaults and enumerations mean what they say. Paths and links are left
 * alone: a description that sends a reader to another file is another description.
 */

import type { Json } from './projection.ts';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const ISO_TIME = String.raw`\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?`;
/** Seconds or milliseconds, 2017 to 2033. Other long numbers may be accounts, which no server may change unseen. */
const UNIX_TIME = String.raw`\b1[5-9]\d{8}(?:\d{3})?\b`;
const HEX_TOKEN = String.raw`\b(?=\d*[a-f])[0-9a-f]{16,}\b`;
const VOLATILE = new RegExp([UUID, ISO_TIME, UNIX_TIME, HEX_TOKEN].join('|'), 'gi');
const PROSE: ReadonlySet<string> = new Set(['title', 'description', '$comment']);
/** Keywords whose values are data of an instance, where a member called `description` is no prose. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);
const MASK = '\u2026';

/** Characters of the shortest piece, a date or a time in seconds. */
const SHORTEST = 10;

/**
 * Whether there may be anything to mask, told from canonical text; cheap, and true somewhat too often. Every piece holds ten
 * characters in a row of those that hexadecimal numbers and dates are made of, so one look at every tenth character finds where
 * one may be; the expression alone takes as long as all the rest of a digest.
 */
export function mayBeVolatile(canonical: string): boolean {
  for (let at = SHORTEST - 1; at < canonical.length; at += SHORTEST) {
    if (runAround(canonical, at) < SHORTEST) continue;
    VOLATILE.lastIndex = 0;
    return VOLATILE.test(canonical);
  }
  return false;
}

/** Length of the run of such characters that holds the one at `at`, counted no further than matters. */
function runAround(text: string, at: number): number {
  let start = at;
  let end = at;
  while (end - start < SHORTEST && isOfPiece(text.charCodeAt(end))) end += 1;
  if (end === at) return 0;
  while (end - start < SHORTEST && start > 0 && isOfPiece(text.charCodeAt(start - 1))) start -= 1;
  return end - start;
}

/** `0-9`, `A-F`, `a-f` and `-`; false past the end. */
function isOfPiece(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70) || code === 45;
}

/** The same value with volatile pieces of its prose masked; the value itself when there are none. */
export function maskVolatile<T extends Json>(value: T): T {
  return mask(value, undefined) as T;
}

function mask(value: Json, key: string | undefined): Json {
  if (typeof value === 'string') return key !== undefined && PROSE.has(key) ? value.replace(VOLATILE, MASK) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => mask(item, undefined));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  let copy: Record<string, Json> | undefined;
  for (const [name, member] of Object.entries(value as { readonly [key: string]: Json })) {
    const masked = DATA.has(name) ? member : mask(member, name);
    if (masked === member) continue;
    copy ??= Object.assign(Object.create(null), value) as Record<string, Json>;
    copy[name] = masked;
  }
  return copy ?? value;
}
