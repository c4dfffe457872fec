// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** How much room the names and digests of a catalog take, for bounds on what is kept of many catalogs. Pure. */

import type { CatalogEntry } from './observation.ts';

/** What one entry takes beside its text, in characters. */
const ENTRY_CHARACTERS = 48;

/** In characters, about two bytes each, since a name may be as long as a hundred usual ones. */
export function weighEntries(entries: readonly CatalogEntry[]): number {
  let characters = 0;
  for (const { name, digest, masked = '' } of entries)
    characters += name.length + digest.length + masked.length + ENTRY_CHARACTERS;
  return characters;
}
