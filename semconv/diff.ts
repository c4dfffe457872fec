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
  const groups = new Map<string, string[]>();
  for (const entry of entries) groups.set(entry.name, [...(groups.get(entry.name) ?? []), definitionOf(entry)]);
  return new Map([...groups].map(([name, digests]) => [name, digests.sort().join(',')]));
}
