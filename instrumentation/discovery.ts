// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What one connection discovers: turns `tools/list` pages into traversal spans, complete catalogs and their revisions,
 * lists that the SDK returned into deliveries, and host reports into installed catalogs. Owns the idle timer that ends
 * walks nobody goes on with.
 */

import { createHash } from 'node:crypto';
import type { Context, Span } from '@opentelemetry/api';
import { SPAN_MCP_CONVERGENCE_TRAVERSAL } from '../semconv/names.ts';
import type { Catalog, Delivered, Installed, Traversal } from '../semconv/observation.ts';
import { readClock } from './clock.ts';
import type { Connection } from './connection.ts';
import { mintId } from './ids.ts';
import { isObject, type JsonObject } from './json-rpc.ts';
import { type Ended, type ListCall, type OpenTraversal, type Page, TraversalTracker } from './traversals.ts';

/** Hex digits of a hashed cursor: enough to tell cursors apart, useless for guessing what one holds. */
const CURSOR_DIGITS = 16;
/** Cursors put on the span of a traversal; the walk itself is bounded in `traversals.ts`. */
const MAX_CURSORS_SHOWN = 64;

interface Walk {
  readonly id: string;
  readonly span: Span;
  readonly context: Context;
}

type InstalledReport = Omit<Installed, 'kind' | 'catalog' | 'connectionId' | 'sequence' | 'timeMs' | 'epoch' | 'span'>;

export class Discovery {
  readonly #connection: Connection;
  readonly #tracker: TraversalTracker;
  readonly #walks = new WeakMap<OpenTraversal, Walk>();
  #timer: NodeJS.Timeout | undefined;

  constructor(connection: Connection, strictCursors: boolean) {
    this.#connection = connection;
    this.#tracker = new TraversalTracker(strictCursors);
    connection.onEpochChange(() => this.#tracker.epochChanged());
  }

  /** A page is about to be requested; returns its traversal and the context that its span belongs into. */
  request(
    params: JsonObject | undefined,
    parent: Context,
  ): { readonly traversal: OpenTraversal; readonly context: Context } {
    const connection = this.#connection;
    const { chains, telemetry } = connection.observer;
    const { listCall, insideToolCall, signal } = chains.get();
    const caused = signal?.connectionId === connection.id ? signal.sequence : undefined;
    const nowMs = readClock();
    const cursor = params?.cursor;
    const { traversal, isNew, evicted } = this.#tracker.request(
      typeof cursor === 'string' ? hashCursor(cursor) : undefined,
      listCall,
      {
        startSequence: connection.nextSequence,
        nowMs,
        trigger: insideToolCall ? 'call' : caused === undefined ? 'app' : 'signal',
        signalSequence: caused,
      },
    );
    if (evicted) this.#end(evicted);
    if (isNew) {
      const span = telemetry.startSpan(
        SPAN_MCP_CONVERGENCE_TRAVERSAL,
        'internal',
        nowMs,
        connection.identify(),
        parent,
      );
      this.#walks.set(traversal, { id: mintId(), span, context: telemetry.within(span, parent) });
    }
    this.#schedule();
    return { traversal, context: this.#walks.get(traversal)?.context ?? parent };
  }

  page(traversal: OpenTraversal, result: JsonObject): void {
    const tools = Array.isArray(result.tools) ? result.tools : [];
    const ttlMs = readTtl(result.ttlMs);
    // Told apart by their hashes: a cursor may be of any length, and a walk may have a thousand of them.
    const next = result.nextCursor;
    const nextCursor = typeof next === 'string' ? hashCursor(next) : next;
    const page: Page = { tools, nextCursor, ttlMs, cacheScope: readScope(result.cacheScope) };
    this.#endIf(this.#tracker.page(traversal, page, readClock()));
  }

  fail(traversal: OpenTraversal, errorType: string): void {
    this.#endIf(this.#tracker.fail(traversal, errorType));
  }

  signal(): void {
    this.#tracker.signal();
  }

  /** A `listTools` call of the SDK returned `result`. */
  delivered(call: ListCall, result: JsonObject, serverHasTools: boolean): void {
    const partial = typeof result.nextCursor === 'string';
    // Without a cursor in the answer the SDK regards the walk as over, whatever the last page said.
    if (!partial) this.#endIf(this.#tracker.callReturned(call, undefined));
    if (this.#connection.observer.chains.get().insideToolCall) return;
    const walk = call.traversal && this.#walks.get(call.traversal);
    const source: Delivered['source'] = call.requests > 0 ? 'wire' : serverHasTools ? 'cache' : 'none';
    this.#connection.note('mcp_convergence.delivered', {
      kind: 'delivered',
      source,
      partial,
      catalog: this.#digest(Array.isArray(result.tools) ? result.tools : []),
      ...(walk && { traversalId: walk.id }),
    });
  }

  /** A `listTools` call of the SDK was rejected. */
  deliveryFailed(call: ListCall, error: unknown): void {
    const code = isObject(error) || error instanceof Error ? (error as { code?: unknown }).code : undefined;
    this.#endIf(this.#tracker.callReturned(call, typeof code === 'string' ? code : 'list_rejected'));
  }

  /** The host registered `tools`, given under the server's names. */
  installed(report: InstalledReport, tools: readonly unknown[]): void {
    this.#connection.note('mcp_convergence.installed', { kind: 'installed', catalog: this.#digest(tools), ...report });
  }

  /** Ends every open walk: nobody will go on with it. */
  close(): void {
    for (const traversal of this.#tracker.open()) this.#end(this.#tracker.end(traversal, 'abandoned'));
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** SDK v2 takes `execution` out of every tool of a modern connection, so it is no part of what could be installed. */
  #digest(tools: readonly unknown[]): Catalog {
    const { handshake, observer } = this.#connection;
    return observer.memo.digest(tools, { execution: handshake?.era !== 'modern' });
  }

  #endIf(ended: Ended | undefined): void {
    if (ended) this.#end(ended);
    this.#schedule();
  }

  #end({ traversal, outcome, errorType }: Ended): void {
    const walk = this.#walks.get(traversal);
    if (!walk) return;
    const connection = this.#connection;
    const received = this.#digest(traversal.tools);
    const catalog = outcome === 'complete' ? connection.catalogs.record(received) : received;
    const sighting: Omit<Traversal, 'connectionId' | 'sequence' | 'timeMs' | 'epoch' | 'span'> = {
      kind: 'traversal',
      traversalId: walk.id,
      startSequence: traversal.startSequence,
      startTimeMs: traversal.startTimeMs,
      outcome,
      pages: traversal.pages,
      trigger: traversal.trigger,
      cursors: traversal.cursors.slice(0, MAX_CURSORS_SHOWN),
      catalog,
      ...(outcome === 'torn' && traversal.torn && { tornBy: traversal.torn }),
      ...(traversal.signalSequence !== undefined && { signalSequence: traversal.signalSequence }),
      ...(traversal.ttlMs !== undefined && { ttlMs: traversal.ttlMs }),
      ...(traversal.cacheScope !== undefined && { cacheScope: traversal.cacheScope }),
      ...(errorType !== undefined && { errorType }),
    };
    connection.record(walk.span, sighting, { error: outcome === 'failed' ? '' : undefined });
  }

  /** One unref'd timer for the walk that would be idle first. */
  #schedule(): void {
    const { traversalTimeoutMs } = this.#connection.observer.config;
    clearTimeout(this.#timer);
    const expiry = this.#tracker.nextExpiry(traversalTimeoutMs);
    this.#timer = undefined;
    if (expiry === undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#connection.observer.guard(() => {
          for (const ended of this.#tracker.expire(readClock(), traversalTimeoutMs)) this.#end(ended);
          this.#schedule();
        }, undefined);
      },
      Math.max(1, Math.ceil(expiry - readClock())),
    );
    this.#timer.unref();
  }
}

/** A year; a server that says more means for ever, which nobody can promise. */
const MAX_TTL_MS = 31_536_000_000;

/** Whole milliseconds; negative counts as 0 (MCP 2026-07-28, caching), and what is no number as absent. */
function readTtl(value: unknown): number | undefined {
  return typeof value === 'number' ? Math.round(Math.min(Math.max(value, 0), MAX_TTL_MS)) : undefined;
}

function readScope(value: unknown): 'public' | 'private' | undefined {
  return value === 'public' || value === 'private' ? value : undefined;
}

function hashCursor(cursor: string): string {
  return createHash('sha256').update(cursor).digest('hex').slice(0, CURSOR_DIGITS);
}
