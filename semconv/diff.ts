// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Names by which two catalogs differ. Pure. */

import { MAX_NAMES_LISTED } from './limits.ts';
import type { CatalogEntry } from './observation.ts';
import type { CatalogDifference } from './verdict.ts';

/**
 * Everything that `discovered` has more (`added`), less (`removed`) or otherwise (`changed`) than `installed`. Definitions that
 * differ in volatile prose alone do not differ.
 */
export function diffCatalogs(
  installed: readonly CatalogEntry[],
  discovered: readonly CatalogEntry[],
): CatalogDifference {
  // Connections share the entries of equal catalogs, so this is the usual case by far.
  if (installed === discovered) return { added: [], removed: [], changed: [] };
  const before = groupDigests(installed);
  const after = groupDigests(discovered);
  const names = (list: Iterable<string>): string[] => [...list].sort().slice(0, MAX_NAMES_LISTED);
  return {
    added: names([...after.keys()].filter((name) => !before.has(name))),
    removed: names([...before.keys()].filter((name) => !after.has(name))),
    changed: names([...after.keys()].filter((name) => before.has(name) && before.get(name) !== after.get(name))),
  };
}

/** What tells one definition of a name from another. */
export function definitionOf({ digest, masked }: CatalogEntry): string {
  return masked ?? digest;
}

/** Digests of one name joined, since a name may occur more than once. */
function groupDigests(entries: readonly CatalogEntry[]): Map<string, string> {
  const groups = new Map<string, string>();
  const repeated = new Map<string, string[]>();
  for (const entry of entries) {
    const first = groups.get(entry.name);
    const digests = repeated.get(entry.name);
    if (first === undefined) groups.set(entry.name, definitionOf(entry));
    else if (digests) digests.push(definitionOf(entry));
    else repeated.set(entry.name, [first, definitionOf(entry)]);
  }
  for (const [name, digests] of repeated) groups.set(name, digests.sort().join(','));
  return groups;
}
