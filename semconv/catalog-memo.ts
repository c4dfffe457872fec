// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Remembers the catalogs of lists that were digested before, by the bytes of the list: a list that is read again unchanged, or
 * that reaches several connections or layers of a host, is canonicalised once. Pure but for what it remembers, and exact: it
 * answers what `digestCatalog` would. What is no plain data is not remembered. The answers are shared; nobody may change one.
 */

import { digestCatalog, sha256 } from './digest.ts';
import type { Catalog } from './observation.ts';
import { isPlainJson } from './plain-json.ts';
import type { ProjectionOptions } from './projection.ts';
import { weighEntries } from './weigh-entries.ts';

/** A host talks to some dozens of servers, whose lists it sees in up to three forms: received, delivered, installed. */
const MAX_CATALOGS = 256;
/** Characters of all entries together, some 4 MB: thirty of the largest catalogs that have entries, or 500 of usual size. */
const MAX_CHARACTERS = 4_194_304;

export interface MemoLimits {
  readonly catalogs?: number;
  readonly characters?: number;
}

interface Remembered {
  readonly catalog: Catalog;
  readonly characters: number;
}

export class CatalogMemo {
  readonly #maxCatalogs: number;
  readonly #maxCharacters: number;
  /** By use, that of longest ago first. */
  readonly #remembered = new Map<string, Remembered>();
  #characters = 0;

  constructor({ catalogs = MAX_CATALOGS, characters = MAX_CHARACTERS }: MemoLimits = {}) {
    this.#maxCatalogs = catalogs;
    this.#maxCharacters = characters;
  }

  get size(): number {
    return this.#remembered.size;
  }

  /** What `digestCatalog(tools, options)` gives. Never throws. */
  digest(tools: readonly unknown[], options: ProjectionOptions = {}): Catalog {
    const text = write(tools);
    if (text === undefined) return digestCatalog(tools, options);
    const key = `${sha256(text)} ${JSON.stringify(options)}`;
    const known = this.#remembered.get(key);
    if (known) {
      this.#remembered.delete(key);
      this.#remembered.set(key, known);
      return known.catalog;
    }
    // From the very bytes of the key, so that no list that changes while it is read is remembered as another.
    const catalog = digestCatalog(JSON.parse(text), options);
    if (catalog.digest !== undefined) this.#remember(key, catalog);
    return catalog;
  }

  #remember(key: string, catalog: Catalog): void {
    const characters = weigh(catalog);
    this.#remembered.set(key, { catalog, characters });
    this.#characters += characters;
    for (const [eldest, { characters: freed }] of this.#remembered) {
      if (this.#remembered.size <= this.#maxCatalogs && this.#characters <= this.#maxCharacters) break;
      this.#remembered.delete(eldest);
      this.#characters -= freed;
    }
  }
}

/** Undefined for what cannot be written in full, or not without asking the code of others. */
function write(tools: unknown): string | undefined {
  try {
    return Array.isArray(tools) && isPlainJson(tools) ? JSON.stringify(tools) : undefined;
  } catch {
    // A trap of a proxy.
    return undefined;
  }
}

/** Names alone stand in the other lists. */
function weigh({ entries = [], duplicates = [], remote = [] }: Catalog): number {
  return [...duplicates, ...remote].reduce((sum, name) => sum + name.length, weighEntries(entries));
}
