// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Brings the connections of a recording into step. Pure. A Collector writes what several agents sent in the order of their
 * batches, and a batch may be older than the one before by an export interval. A replay whose clock followed the file would find
 * an answer overdue that is only written further down. Observations of one connection keep the order of the file: their sequence
 * numbers say what that is worth, not their times.
 */

import type { Observation } from '../../semconv/observation.ts';

/**
 * Observations that one may be late by; what is later is passed on as it comes. Twice as many are in memory, some tens of MB of
 * them; an agent that makes a call every second has said as many after seven hours.
 */
const WINDOW = 25_000;

interface Held {
  readonly observation: Observation;
  /** Its time, or that of an earlier one of its connection, or that of what was passed on before it came. */
  readonly dueMs: number;
}

export async function* inTimeOrder(
  observations: AsyncIterable<Observation>,
  window: number = WINDOW,
): AsyncGenerator<Observation> {
  /** Latest `dueMs` of each connection that has anything in `held`. */
  const latest = new Map<string, number>();
  let held: Held[] = [];
  let passedMs = Number.NEGATIVE_INFINITY;

  function* pass(count: number): Generator<Observation> {
    held.sort((a, b) => a.dueMs - b.dueMs);
    const due = held.slice(0, count);
    held = held.slice(count);
    for (const { observation, dueMs } of due) {
      passedMs = dueMs;
      if (latest.get(observation.connectionId) === dueMs) latest.delete(observation.connectionId);
      yield observation;
    }
  }

  for await (const observation of observations) {
    const { connectionId, timeMs } = observation;
    const dueMs = Math.max(timeMs, latest.get(connectionId) ?? passedMs);
    latest.set(connectionId, dueMs);
    held.push({ observation, dueMs });
    if (held.length >= 2 * window) yield* pass(window);
  }
  yield* pass(held.length);
}
