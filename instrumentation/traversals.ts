// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Groups `tools/list` pages into traversals and says how each one ended. Pure: no clock, no spans; the connection calls
 * it and owns the timer. Pages belong together when they were asked for inside one `listTools` call (SDK v2 walks by
 * itself) or, in an app's own loop, when a request carries the cursor that a traversal is waiting for.
 *
 * Refuses to guess: a cursor that two traversals wait for, or that none does, gives `torn` by `ambiguous`.
 */

import { MAX_TOOLS } from '../semconv/limits.ts';
import type { TraversalOutcome } from '../semconv/observation.ts';

/** Servers page by tens to hundreds and SDK v2 gives up after 64 pages, so this only stops a runaway loop. */
export const MAX_PAGES = 1000;
/** Walks at once on one connection; a host lists from a handful of places at most. */
export const MAX_OPEN = 32;

/** One `listTools` call of the SDK: the pages that it asks for share this object. */
export interface ListCall {
  traversal?: OpenTraversal;
  requests: number;
}

export type Torn = 'signal' | 'overlap' | 'epoch' | 'ambiguous';

export interface OpenTraversal {
  readonly startSequence: number;
  readonly startTimeMs: number;
  readonly trigger: 'app' | 'signal' | 'call';
  readonly signalSequence: number | undefined;
  /** Cursors that were promised, in order; a page may be asked for only with the last of them. */
  readonly cursors: string[];
  readonly tools: unknown[];
  readonly names: Set<string>;
  pages: number;
  /** Pages requested and not yet answered. */
  outstanding: number;
  /** The cursor that the next page needs; undefined before the first page and after the last. */
  expected: string | undefined;
  torn: Torn | undefined;
  signalled: boolean;
  looped: boolean;
  /** A tool came again after a cursor had come back. */
  repeated: boolean;
  capped: boolean;
  ttlMs: number | undefined;
  cacheScope: 'public' | 'private' | undefined;
  /** Time of the newest request or reply, for the idle timeout. */
  touchedMs: number;
}

export interface Start {
  readonly startSequence: number;
  readonly nowMs: number;
  readonly trigger: 'app' | 'signal' | 'call';
  readonly signalSequence?: number | undefined;
}

export interface Page {
  readonly tools: readonly unknown[];
  /** As received: undefined when absent. */
  readonly nextCursor: unknown;
  readonly ttlMs?: number | undefined;
  readonly cacheScope?: 'public' | 'private' | undefined;
}

export interface Ended {
  readonly traversal: OpenTraversal;
  readonly outcome: TraversalOutcome;
  readonly errorType?: string;
}

function begin(start: Start, expected: string | undefined): OpenTraversal {
  return {
    startSequence: start.startSequence,
    startTimeMs: start.nowMs,
    trigger: start.trigger,
    signalSequence: start.signalSequence,
    cursors: [],
    tools: [],
    names: new Set(),
    pages: 0,
    outstanding: 0,
    expected,
    torn: undefined,
    signalled: false,
    looped: false,
    repeated: false,
    capped: false,
    ttlMs: undefined,
    cacheScope: undefined,
    touchedMs: start.nowMs,
  };
}

function nameOf(tool: unknown): string | undefined {
  const name = (tool as { name?: unknown } | null)?.name;
  return typeof name === 'string' ? name : undefined;
}

export class TraversalTracker {
  readonly #open = new Set<OpenTraversal>();
  readonly #strictCursors: boolean;

  /** `strictCursors`: the client is an official SDK, which rejects a reply whose `nextCursor` is null. */
  constructor(strictCursors: boolean) {
    this.#strictCursors = strictCursors;
  }

  get size(): number {
    return this.#open.size;
  }

  open(): readonly OpenTraversal[] {
    return [...this.#open];
  }

  /** A page was requested. Returns its traversal and, when room had to be made, one that ended for it. */
  request(
    cursor: string | undefined,
    call: ListCall | undefined,
    start: Start,
  ): { readonly traversal: OpenTraversal; readonly isNew: boolean; readonly evicted?: Ended } {
    const known = cursor === undefined ? undefined : this.#find(cursor, call);
    const traversal = known ?? begin(start, cursor);
    if (known === undefined && cursor !== undefined) traversal.torn = 'ambiguous';
    if (call) {
      call.requests += 1;
      call.traversal = traversal;
    }
    traversal.outstanding += 1;
    traversal.touchedMs = start.nowMs;
    if (known) return { traversal, isNew: false };
    const oldest = this.#open.size >= MAX_OPEN ? this.#open.values().next().value : undefined;
    const evicted = oldest && this.end(oldest, 'capped');
    this.#open.add(traversal);
    return evicted ? { traversal, isNew: true, evicted } : { traversal, isNew: true };
  }

  #find(cursor: string, call: ListCall | undefined): OpenTraversal | undefined {
    if (call?.traversal && this.#open.has(call.traversal)) return call.traversal;
    const waiting = [...this.#open].filter((candidate) => candidate.expected === cursor);
    // Two walks that wait for the same cursor and have not asked yet look alike on the wire.
    const idle = waiting.filter((candidate) => candidate.outstanding === 0);
    if (idle.length > 1) for (const candidate of idle) candidate.torn ??= 'ambiguous';
    return idle[0] ?? waiting[0] ?? [...this.#open].find((candidate) => candidate.cursors.includes(cursor));
  }

  /** A page was received. Returns how the traversal ended, if it did. */
  page(traversal: OpenTraversal, page: Page, nowMs: number): Ended | undefined {
    if (!this.#open.has(traversal)) return undefined;
    traversal.outstanding -= 1;
    traversal.touchedMs = nowMs;
    traversal.pages += 1;
    this.#collect(traversal, page);
    if (traversal.pages > 1 && traversal.signalled) traversal.torn ??= 'signal';
    const next = page.nextCursor;
    if (next === undefined || (next === null && !this.#strictCursors)) {
      return this.end(traversal, traversal.capped ? 'capped' : 'complete');
    }
    if (typeof next !== 'string') return this.end(traversal, 'failed', 'invalid_cursor');
    // Not ended here: the client may go round for ever, and its further pages must find their traversal.
    if (traversal.cursors.includes(next)) traversal.looped = true;
    else if (traversal.cursors.length < MAX_PAGES) traversal.cursors.push(next);
    else traversal.capped = true;
    traversal.expected = next;
    return undefined;
  }

  #collect(traversal: OpenTraversal, page: Page): void {
    const before = new Set(traversal.names);
    for (const tool of page.tools) {
      if (traversal.tools.length >= MAX_TOOLS) {
        traversal.capped = true;
        break;
      }
      traversal.tools.push(tool);
      const name = nameOf(tool);
      if (name === undefined) continue;
      // Twice on one page is the server's own duplicate; on two pages the list moved in between.
      if (before.has(name)) {
        if (traversal.looped) traversal.repeated = true;
        else traversal.torn ??= 'overlap';
      }
      traversal.names.add(name);
    }
    const ttlMs = page.ttlMs ?? 0;
    traversal.ttlMs = traversal.pages === 1 ? page.ttlMs : Math.min(traversal.ttlMs ?? 0, ttlMs);
    // One private page makes the whole list private.
    if (traversal.cacheScope !== 'private') traversal.cacheScope = page.cacheScope ?? traversal.cacheScope;
  }

  /** A page was answered by an error, or not at all. */
  fail(traversal: OpenTraversal, errorType: string): Ended | undefined {
    return this.#open.has(traversal) ? this.end(traversal, 'failed', errorType) : undefined;
  }

  /** `list_changed` was received: every walk that goes on beyond its first page is no snapshot any more. */
  signal(): void {
    for (const traversal of this.#open) {
      traversal.signalled = true;
      if (traversal.pages > 0) traversal.torn ??= 'signal';
    }
  }

  /** Other code may answer the next page. */
  epochChanged(): void {
    for (const traversal of this.#open) if (traversal.pages > 0) traversal.torn ??= 'epoch';
  }

  /** A `listTools` call that walks by itself has returned: nobody will ask for the rest. */
  callReturned(call: ListCall, errorCode: string | undefined): Ended | undefined {
    const traversal = call.traversal;
    if (!traversal || !this.#open.has(traversal)) return undefined;
    if (errorCode === 'LIST_PAGINATION_EXCEEDED') return this.end(traversal, traversal.looped ? 'looped' : 'capped');
    return errorCode === undefined ? this.end(traversal, 'abandoned') : this.fail(traversal, errorCode);
  }

  /** Ends what nobody has touched for `timeoutMs` and waits for no reply. */
  expire(nowMs: number, timeoutMs: number): readonly Ended[] {
    const idle = [...this.#open].filter((t) => t.outstanding <= 0 && nowMs - t.touchedMs >= timeoutMs);
    return idle.map((traversal) => this.end(traversal, 'abandoned'));
  }

  /** When {@link expire} has something to do, in the caller's time; undefined when nothing waits. */
  nextExpiry(timeoutMs: number): number | undefined {
    const times = [...this.#open].filter((t) => t.outstanding <= 0).map((t) => t.touchedMs + timeoutMs);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  /** The strongest thing known wins: a loop over a cap over whatever the caller saw; torn only if it was complete. */
  end(traversal: OpenTraversal, outcome: TraversalOutcome, errorType?: string): Ended {
    this.#open.delete(traversal);
    if (outcome === 'complete' && traversal.torn) return { traversal, outcome: 'torn' };
    // It ended in the end, but on the way round it gave some pages twice, and who knows which not at all.
    if (outcome === 'complete' && traversal.looped && traversal.repeated) return { traversal, outcome: 'looped' };
    if (outcome === 'abandoned' && traversal.looped) return { traversal, outcome: 'looped' };
    if (outcome === 'abandoned' && traversal.capped) return { traversal, outcome: 'capped' };
    return errorType === undefined ? { traversal, outcome } : { traversal, outcome, errorType };
  }
}
