// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The connections that an engine holds: the live ones in order of when each was last heard of, what closed ones leave to their
 * successors, and the bounds of both. Pure. Decides who has to go; what is said of it, the engine does.
 */

import type { Catalog, Observation } from '../../semconv/observation.ts';
import { CatalogPool } from './catalog-pool.ts';
import { type ConnectionState, createConnectionState, type View } from './connection-state.ts';
import type { Limits } from './limits.ts';
import { Sequencer } from './sequencer.ts';

export interface Live {
  readonly state: ConnectionState;
  readonly sequencer: Sequencer;
  heardMs: number;
  /**
   * By how much the engine's clock was ahead of the newest observations' time: skew between machines, and how long batches
   * take. Deadlines are reckoned in the time of the evidence and are due in the engine's only that much later.
   */
  lagMs: number;
  /** When judging again may give another answer, by itself; in the time of the evidence. */
  deadlineMs: number | undefined;
}

/** What a later connection of the same client inherits. */
export interface Estate {
  /** Nothing can follow. An evicted connection may go on, with a gap. */
  readonly closed: boolean;
  /** Numbers below it were seen: what comes with one of them is a duplicate, not a new connection. */
  readonly next: number;
  readonly views: readonly View[];
  readonly history: readonly Catalog[];
}

export interface Overflow {
  readonly live: Live;
  readonly limit: 'connections' | 'catalogCharacters';
}

/** Characters from which on it is worth to look for what nobody holds any more; what is forgotten never outweighs what is held. */
const RECOUNT_FROM = 1_048_576;
/** How far to go once something has to go, so that the next does not have to at once. */
const SHRINK_TO = 0.9;

export class Population {
  readonly #limits: Limits;
  readonly #live = new Map<string, Live>();
  readonly #estates = new Map<string, Estate>();
  readonly #pool = new CatalogPool();
  readonly #dropped: Record<string, number> = {};
  #recountAt = RECOUNT_FROM;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** States and observations dropped, by the limit that was hit. */
  get dropped(): Readonly<Record<string, number>> {
    return { ...this.#dropped };
  }

  drop(limit: string): void {
    this.#dropped[limit] = (this.#dropped[limit] ?? 0) + 1;
  }

  get(id: string): Live | undefined {
    return this.#live.get(id);
  }

  /** A copy, so that it may be gone through while connections end. */
  all(): readonly Live[] {
    return [...this.#live.values()];
  }

  get eldest(): Live | undefined {
    return this.#live.values().next().value;
  }

  estate(id: string): Estate | undefined {
    return this.#estates.get(id);
  }

  /** Keeps no second copy of a catalog that is kept already. */
  share(observation: Observation): Observation {
    return this.#pool.share(observation);
  }

  /** The connection of an observation, which is the one heard of last from here on. */
  hear(observation: Observation, estate: Estate | undefined, nowMs: number): Live {
    const { connectionId } = observation;
    const live: Live = this.#live.get(connectionId) ?? {
      state: createConnectionState(observation),
      sequencer: new Sequencer(estate && observation.sequence),
      heardMs: nowMs,
      lagMs: nowMs - observation.timeMs,
      deadlineMs: undefined,
    };
    live.heardMs = nowMs;
    this.#live.delete(connectionId);
    this.#live.set(connectionId, live);
    return live;
  }

  /** Who has to go so that the bounds are kept, eldest first; never the one heard of last. */
  overflow(): readonly Overflow[] {
    const { eldest } = this;
    if (eldest && this.#live.size > this.#limits.connections) return [{ live: eldest, limit: 'connections' }];
    if (this.#pool.characters <= Math.min(this.#recountAt, this.#limits.catalogCharacters)) return [];
    // Much of it may be forgotten long since.
    this.#keep(Number.POSITIVE_INFINITY);
    this.#recountAt = Math.max(RECOUNT_FROM, 2 * this.#pool.characters);
    return this.#pool.characters > this.#limits.catalogCharacters
      ? this.#keep(SHRINK_TO * this.#limits.catalogCharacters)
      : [];
  }

  /** Counts anew what is held, newest first, as far as `characters` go; drops older estates and names older connections. */
  #keep(characters: number): readonly Overflow[] {
    this.#pool.restart();
    const [newest, ...older] = this.all().toReversed();
    if (newest) this.#pool.keep(catalogsOf(newest));
    const leaving = older.filter((live) => {
      if (this.#pool.characters < characters) this.#pool.keep(catalogsOf(live));
      return this.#pool.characters >= characters;
    });
    for (const [id, { views, history }] of [...this.#estates].toReversed()) {
      const catalogs = [...history, ...catalogsIn(views)];
      if (this.#pool.characters < characters) this.#pool.keep(catalogs);
      else if (catalogs.length > 0) this.#forgetEstate(id, 'catalogCharacters');
    }
    return leaving.toReversed().map((live) => ({ live, limit: 'catalogCharacters' }));
  }

  /** Ends a connection; nothing of it is kept but its estate. */
  retire(id: string, estate: Estate): void {
    this.#live.delete(id);
    this.#estates.delete(id);
    this.#estates.set(id, estate);
    const eldest = this.#estates.size > this.#limits.retired ? this.#estates.keys().next().value : undefined;
    if (eldest !== undefined) this.#forgetEstate(eldest, 'retired');
  }

  /** Nothing is left, not even for successors. */
  clear(): void {
    this.#live.clear();
    this.#estates.clear();
    this.#pool.restart();
  }

  #forgetEstate(id: string, limit: string): void {
    this.#estates.delete(id);
    this.drop(limit);
  }
}

function catalogsIn(views: Iterable<View>): readonly Catalog[] {
  return [...views].flatMap(({ report }) => (report ? [report.catalog] : []));
}

function* catalogsOf({ state, sequencer }: Live): Iterable<Catalog> {
  yield* state.history;
  yield* catalogsIn(state.views.values());
  for (const one of [state.complete, state.tried, state.delivered, ...sequencer.held()])
    if (one && 'catalog' in one) yield one.catalog;
}
