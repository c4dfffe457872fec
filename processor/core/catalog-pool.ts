// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Lets connections share the names and digests of equal catalogs, and counts what all of them keep. Pure. A thousand
 * connections to one server hold one catalog, not a thousand.
 */

import type { Catalog, CatalogEntry, Observation } from '../../semconv/observation.ts';
import { weighEntries } from '../../semconv/weigh-entries.ts';

type Entries = readonly CatalogEntry[];

export class CatalogPool {
  readonly #byDigest = new Map<string, Entries>();
  #counted = new WeakSet<Entries>();
  readonly #weights = new WeakMap<Entries, number>();
  #characters = 0;

  /** Characters of all entries that were kept since the last restart, those since forgotten included. */
  get characters(): number {
    return this.#characters;
  }

  /** The same observation, its catalog sharing its entries with an equal one that is kept already. */
  share(observation: Observation): Observation {
    if (!('catalog' in observation) || !observation.catalog.entries) return observation;
    const { digest, entries } = observation.catalog;
    const known = digest === undefined ? undefined : this.#byDigest.get(digest);
    if (known && areEqual(known, entries))
      return { ...observation, catalog: { ...observation.catalog, entries: known } };
    this.keep([observation.catalog]);
    return observation;
  }

  /** Forgets everything; what is still held has to be kept again. */
  restart(): void {
    this.#byDigest.clear();
    this.#counted = new WeakSet();
    this.#characters = 0;
  }

  /** Counts what these catalogs hold, each list once. */
  keep(catalogs: Iterable<Catalog>): void {
    for (const { digest, entries } of catalogs) {
      if (!entries || this.#counted.has(entries)) continue;
      this.#counted.add(entries);
      if (digest !== undefined) this.#byDigest.set(digest, entries);
      this.#characters += this.#weigh(entries);
    }
  }

  #weigh(entries: Entries): number {
    const known = this.#weights.get(entries);
    if (known !== undefined) return known;
    const weight = weighEntries(entries);
    this.#weights.set(entries, weight);
    return weight;
  }
}

/** A digest alone is the word of whoever sent it. */
function areEqual(a: Entries, b: Entries): boolean {
  if (a === b) return true;
  return (
    a.length === b.length &&
    a.every((one, i) => one.name === b[i]?.name && one.digest === b[i]?.digest && one.masked === b[i]?.masked)
  );
}
