// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** What `run` remembers of a run: which verdicts it has told, which connections it has seen, how each stands. Bounded. */

import { ATTR_MCP_CONVERGENCE_CONNECTION_ID, EVENT_MCP_CONVERGENCE_VERDICT } from '../../semconv/names.ts';
import type { Verdict } from '../../semconv/verdict.ts';
import { decodeVerdict } from '../../semconv/verdict-attributes.ts';
import type { PlainLog, PlainSpan } from '../service/decode-otlp-json.ts';

/** An agent may run for weeks; of each kind the eldest are forgotten beyond this. */
const MAX_REMEMBERED = 10_000;

export class RunTally {
  readonly #told = new Map<string, true>();
  readonly #connections = new Map<string, true>();
  readonly #last = new Map<string, Verdict>();
  #connectionCount = 0;

  /** Connections on which an MCP message was seen. */
  get connections(): number {
    return this.#connectionCount;
  }

  /** The newest verdict of each connection and layer. */
  get last(): readonly Verdict[] {
    return [...this.#last.values()];
  }

  span({ attributes }: PlainSpan): void {
    const id = attributes[ATTR_MCP_CONVERGENCE_CONNECTION_ID];
    if (typeof id === 'string') this.#connection(id);
  }

  /** The verdict that a log record is, unless told before: what was posted at the end of a process may have come already. */
  verdict(log: PlainLog): Verdict | undefined {
    const verdict =
      log.eventName === EVENT_MCP_CONVERGENCE_VERDICT ? decodeVerdict(log.attributes, log.timeMs) : undefined;
    if (!verdict) return undefined;
    const { connectionId, sequence, layer, reason, timeMs } = verdict;
    const key = [connectionId, sequence, layer, reason, timeMs].join(' ');
    if (this.#told.has(key)) return undefined;
    remember(this.#told, key, true);
    remember(this.#last, `${connectionId} ${layer}`, verdict);
    this.#connection(connectionId);
    return verdict;
  }

  #connection(id: string): void {
    if (this.#connections.has(id)) return;
    this.#connectionCount += 1;
    remember(this.#connections, id, true);
  }
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  const eldest = map.size >= MAX_REMEMBERED && !map.has(key) ? map.keys().next().value : undefined;
  if (eldest !== undefined) map.delete(eldest);
  map.set(key, value);
}
