// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Plays observations to an engine as a front end does: each when it arrives, and a call at every deadline on the way. */

import assert from 'node:assert/strict';
import type { Engine } from '../../processor/core/index.ts';
import type { Observation } from '../../semconv/observation.ts';
import type { Verdict } from '../../semconv/verdict.ts';

export interface Arrival {
  readonly observation: Observation;
  readonly nowMs: number;
}

/** In the order given, whose times may not go back; then a long time nothing. */
export function play(engine: Engine, arrivals: readonly Arrival[]): Verdict[] {
  const verdicts: Verdict[] = [];
  let deadlineMs: number | undefined;
  let clockMs = 0;
  const passUntil = (nowMs: number) => {
    while (deadlineMs !== undefined && deadlineMs <= nowMs) {
      clockMs = Math.max(clockMs, deadlineMs);
      const step = engine.advance(clockMs);
      verdicts.push(...step.verdicts);
      deadlineMs = step.deadlineMs;
      assert.ok(deadlineMs === undefined || deadlineMs > clockMs, 'a deadline that has come is over');
    }
    clockMs = nowMs;
  };
  for (const { observation, nowMs } of arrivals) {
    passUntil(nowMs);
    const step = engine.observe(observation, nowMs);
    verdicts.push(...step.verdicts);
    deadlineMs = step.deadlineMs;
  }
  passUntil(clockMs + 60_000);
  return verdicts;
}

/** Each at its own time, or later by its share of `delays`; what is delayed by the same comes in the same order. */
export function delayed(observations: readonly Observation[], delays: readonly number[] = [0]): Arrival[] {
  return observations
    .map((observation, i) => ({ observation, nowMs: observation.timeMs + (delays[i % delays.length] ?? 0) }))
    .sort((x, y) => x.nowMs - y.nowMs);
}
