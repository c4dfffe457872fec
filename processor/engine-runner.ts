// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Runs one engine against the clock: hands observations in, emits what comes out, and keeps one unref'd timer for the next
 * deadline. Every front end is this plus a way to get at observations. Nothing thrown in here reaches a caller.
 */

import { diag } from '@opentelemetry/api';
import type { Observation } from '../semconv/observation.ts';
import type { Verdict } from '../semconv/verdict.ts';
import { createEngine, type Engine, type Limits, type Step } from './core/index.ts';
import { emitStaleCall, emitVerdict } from './emit-verdict.ts';
import { type Providers, VerdictTelemetry } from './telemetry.ts';
import { VerdictMetrics } from './verdict-metrics.ts';

/** Between two calls of `advance`, each of which looks at all connections: a thousandth of a second for ten thousand of them. */
const MIN_ADVANCE_MS = 20;
/** Node reads longer delays as 1 ms. */
const MAX_TIMER_MS = 2_147_483_647;

export interface EngineRunnerConfig {
  readonly limits?: Partial<Limits>;
  readonly providers?: Providers;
  /** Told of every verdict before it is emitted. */
  readonly onVerdict?: (verdict: Verdict) => void;
}

export class EngineRunner {
  readonly #engine: Engine;
  readonly #telemetry: VerdictTelemetry;
  readonly #metrics: VerdictMetrics;
  readonly #onVerdict: ((verdict: Verdict) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #timerMs = Number.POSITIVE_INFINITY;
  #advancedMs = 0;

  /** @throws TypeError when a limit is not a usable number. */
  constructor(config: EngineRunnerConfig = {}) {
    this.#engine = createEngine(config.limits);
    this.#telemetry = new VerdictTelemetry(config.providers);
    this.#metrics = new VerdictMetrics(this.#telemetry, this.#engine);
    this.#onVerdict = config.onVerdict;
    this.#guard(() => this.#metrics.prepare());
  }

  observe(observation: Observation): void {
    // An SDK may have been registered since: its counters should stand at zero before they first count.
    this.#guard(() => this.#metrics.prepare());
    this.#guard(() => this.#emit(this.#engine.observe(observation, Date.now())));
  }

  /** Decides everything that is pending. Synchronous; what it emits is flushed by the providers' owner. */
  end(): void {
    this.#guard(() => this.#emit(this.#engine.end(Date.now())));
  }

  #emit({ verdicts, staleCalls, deadlineMs }: Step): void {
    this.#schedule(deadlineMs);
    for (const verdict of verdicts) {
      this.#guard(() => this.#onVerdict?.(verdict));
      this.#guard(() => this.#metrics.verdict(verdict));
      this.#guard(() => emitVerdict(this.#telemetry, verdict));
    }
    for (const call of staleCalls) {
      this.#guard(() => this.#metrics.staleCall(call));
      this.#guard(() => emitStaleCall(this.#telemetry, call));
    }
  }

  #schedule(deadlineMs: number | undefined): void {
    if (deadlineMs === this.#timerMs) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#timerMs = deadlineMs ?? Number.POSITIVE_INFINITY;
    if (deadlineMs === undefined) return;
    const nowMs = Date.now();
    const delay = Math.max(deadlineMs - nowMs, Math.min(this.#advancedMs + MIN_ADVANCE_MS - nowMs, MIN_ADVANCE_MS), 1);
    this.#timer = setTimeout(
      () => {
        this.#timerMs = Number.POSITIVE_INFINITY;
        this.#advancedMs = Date.now();
        this.#guard(() => this.#emit(this.#engine.advance(Date.now())));
      },
      Math.min(delay, MAX_TIMER_MS),
    );
    this.#timer.unref();
  }

  #guard(body: () => void): void {
    try {
      body();
    } catch (error) {
      try {
        diag.error('mcp-convergence: a verdict could not be given or emitted, the host is not affected', error);
      } catch {
        // The diag logger of the app throws; there is nobody left to tell.
      }
    }
  }
}
