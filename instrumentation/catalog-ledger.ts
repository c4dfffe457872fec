// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Counts revisions: the ordinal of each distinct digest among the complete catalogs of one connection, and the same per
 * tool. Pure. A digest that comes back keeps its old ordinal.
 */

import type { Catalog } from '../semconv/observation.ts';

/** Distinct catalogs remembered; a server that exceeds it is not versioning but generating. */
const MAX_CATALOG_REVISIONS = 1024;
/** Distinct definitions remembered per tool. */
const MAX_SCHEMA_REVISIONS = 256;

/** Ordinal of `digest`, which is added when there is room; past the bound every new digest gets the same number. */
function ordinalOf(digests: string[], digest: string, bound: number): number {
  const index = digests.indexOf(digest);
  if (index >= 0) return index + 1;
  if (digests.length < bound) digests.push(digest);
  else return bound + 1;
  return digests.length;
}

export class CatalogLedger {
  readonly #catalogs: string[] = [];
  readonly #tools = new Map<string, string[]>();
  #newest: Catalog | undefined;
  #digests: ReadonlyMap<string, string> = new Map();

  /** The newest complete catalog, with its revision. */
  get newest(): Catalog | undefined {
    return this.#newest;
  }

  /** Takes a complete catalog in and returns it with its revision, or as it is when it could not be digested. */
  record(catalog: Catalog): Catalog {
    const { digest, entries } = catalog;
    const recorded =
      digest === undefined
        ? catalog
        : { ...catalog, revision: ordinalOf(this.#catalogs, digest, MAX_CATALOG_REVISIONS) };
    this.#newest = recorded;
    this.#digests = new Map(entries?.map((entry) => [entry.name, entry.digest]));
    for (const entry of entries ?? []) {
      const known = this.#tools.get(entry.name) ?? [];
      ordinalOf(known, entry.digest, MAX_SCHEMA_REVISIONS);
      // Tools of catalogs long gone are dropped oldest first once they outnumber what any catalog may list.
      this.#tools.delete(entry.name);
      this.#tools.set(entry.name, known);
    }
    const room = Math.max(2 * (entries?.length ?? 0), MAX_CATALOG_REVISIONS);
    for (const name of this.#tools.keys()) {
      if (this.#tools.size <= room) break;
      this.#tools.delete(name);
    }
    return recorded;
  }

  /** Definition under which a call of `tool` is made now: its digest and the ordinal of that digest. */
  schemaOf(tool: string): { readonly toolDigest: string; readonly schemaRevision: number } | undefined {
    const toolDigest = this.#digests.get(tool);
    const known = this.#tools.get(tool);
    if (toolDigest === undefined || known === undefined) return undefined;
    return { toolDigest, schemaRevision: ordinalOf(known, toolDigest, MAX_SCHEMA_REVISIONS) };
  }

  /** Another epoch: what was discovered before says nothing of what answers now. Ordinals go on. */
  forget(): void {
    this.#newest = undefined;
    this.#digests = new Map();
  }
}
