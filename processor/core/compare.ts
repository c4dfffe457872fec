// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Compares an installed registry with the catalogs that were discovered. Pure. Never guesses: what no history explains has its own answer. */

import { definitionOf, diffCatalogs } from '../../semconv/diff.ts';
import type { Catalog, CatalogEntry, Installed } from '../../semconv/observation.ts';
import type { CatalogDifference, Reason } from '../../semconv/verdict.ts';

export type Comparison =
  /** `volatile`: but for UUIDs, times and the like in the prose of definitions. */
  | { readonly kind: 'equal'; readonly volatile: boolean }
  /** The registry is, or holds parts of, an earlier catalog. */
  | { readonly kind: 'older'; readonly reason: 'definition_changed' | 'tool_set_changed' }
  /** Holds tools, as they are now, that the host says it filters out. */
  | { readonly kind: 'unfiltered' }
  /** Discovered tools are missing and nobody said why; everything else is equal. */
  | { readonly kind: 'unaccounted' }
  /** Definitions that no catalog ever had: the host rewrote them, in a way unknown to us. */
  | { readonly kind: 'unknown' };

export const NO_DIFFERENCE: CatalogDifference = { added: [], removed: [], changed: [] };

/** Discovered names that the host says it left out, for whatever reason. */
function omittedBy(report: Installed): ReadonlySet<string> {
  return new Set([...report.filtered, ...report.withheld, ...report.capped, ...report.rejected, ...report.shadowed]);
}

function withoutOmitted(catalog: Catalog, report: Installed): readonly CatalogEntry[] | undefined {
  const omitted = omittedBy(report);
  return omitted.size === 0 ? catalog.entries : catalog.entries?.filter(({ name }) => !omitted.has(name));
}

function isEmpty({ added, removed, changed }: CatalogDifference): boolean {
  return added.length + removed.length + changed.length === 0;
}

function equality(report: Installed, catalog: Catalog): 'exact' | 'volatile' | undefined {
  if (report.catalog.digest !== undefined && report.catalog.digest === catalog.digest) return 'exact';
  const expected = withoutOmitted(catalog, report);
  const installed = report.catalog.entries;
  if (!expected || !installed || expected.length !== installed.length) return undefined;
  if (!isEmpty(diffCatalogs(installed, expected))) return undefined;
  const digests = (entries: readonly CatalogEntry[]) => entries.map(({ name, digest }) => `${digest} ${name}`).sort();
  const discovered = digests(expected);
  return digests(installed).every((each, index) => each === discovered[index]) ? 'exact' : 'volatile';
}

/** From the installed registry to `discovered` less what the host left out. Empty when either is too large for names. */
export function differenceOf(report: Installed | undefined, discovered: Catalog | undefined): CatalogDifference {
  const expected = report && discovered && withoutOmitted(discovered, report);
  return report?.catalog.entries && expected ? diffCatalogs(report.catalog.entries, expected) : NO_DIFFERENCE;
}

/** Whether the two catalogs can be compared at all: a bound may have kept one from being digested, or from naming its tools. */
export function comparisonLimit(report: Installed, discovered: Catalog): string | undefined {
  if (report.catalog.limit !== undefined || discovered.limit !== undefined)
    return report.catalog.limit ?? discovered.limit;
  if (report.catalog.digest === discovered.digest) return undefined;
  return report.catalog.entries && discovered.entries ? undefined : 'entries';
}

/** `newest` and `alternatives` are current; `history` holds earlier catalogs too. */
export function compare(
  report: Installed,
  newest: Catalog,
  alternatives: readonly Catalog[],
  history: readonly Catalog[],
): Comparison {
  const unfiltered = isUnfiltered(report);
  const equalities = unfiltered ? [] : [newest, ...alternatives].map((catalog) => equality(report, catalog));
  if (equalities.some((each) => each !== undefined)) return { kind: 'equal', volatile: !equalities.includes('exact') };
  const difference = differenceOf(report, newest);
  const earlier = history.filter(({ digest }) => digest !== newest.digest);
  const isEarlier = !unfiltered && earlier.some((catalog) => equality(report, catalog) !== undefined);
  if (isEarlier || holdsEarlier(report, newest, earlier)) {
    const sameNames = difference.added.length + difference.removed.length === 0;
    return { kind: 'older', reason: sameNames ? 'definition_changed' : 'tool_set_changed' };
  }
  if (unfiltered) return { kind: 'unfiltered' };
  const onlyMissing = difference.removed.length + difference.changed.length === 0;
  return { kind: onlyMissing ? 'unaccounted' : 'unknown' };
}

/**
 * What is wanting although the registry accounts for every tool: what the host could not take in, by its own word, and what no
 * digest reaches. Undefined for nothing. A tool that is no longer advertised is no longer missing.
 */
export function shortcomingOf(report: Installed, newest: Catalog): Reason | undefined {
  const advertised = newest.entries && new Set(newest.entries.map(({ name }) => name));
  const some = (names: readonly string[]) => names.some((name) => advertised?.has(name) ?? true);
  if (some(report.capped)) return 'tools_capped';
  if (some(report.rejected)) return 'tools_rejected';
  if (some(report.shadowed)) return 'tools_shadowed';
  const remote = newest.remote ?? [];
  if (remote.length === 0) return undefined;
  const installed = report.catalog.entries && new Set(report.catalog.entries.map(({ name }) => name));
  return remote.some((name) => installed?.has(name) ?? true) ? 'remote_reference' : undefined;
}

/** The report names as filtered what it lists as registered. */
function isUnfiltered({ catalog, filtered }: Installed): boolean {
  if (filtered.length === 0) return false;
  const left = new Set(filtered);
  return catalog.entries?.some(({ name }) => left.has(name)) ?? false;
}

/** A definition that the newest catalog has not, and that an earlier one had exactly so. Looks at all names, not at a bounded list. */
function holdsEarlier(report: Installed, newest: Catalog, earlier: readonly Catalog[]): boolean {
  const current = definitionsOf(newest);
  const suspects = report.catalog.entries?.filter((entry) => !current.has(keyOf(entry))) ?? [];
  if (suspects.length === 0) return false;
  return earlier.some((catalog) => {
    const known = definitionsOf(catalog);
    return suspects.some((entry) => known.has(keyOf(entry)));
  });
}

function keyOf(entry: CatalogEntry): string {
  return `${definitionOf(entry)} ${entry.name}`;
}

function definitionsOf({ entries = [] }: Catalog): ReadonlySet<string> {
  return new Set(entries.map(keyOf));
}
