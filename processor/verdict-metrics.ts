// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The metrics of the verdict engine. Instruments follow the meter provider: one registered after us is still found. */

import type { Counter, Histogram, MeterProvider } from '@opentelemetry/api';
import {
  ATTR_MCP_CONVERGENCE_LIMIT,
  ATTR_MCP_CONVERGENCE_REASON,
  ATTR_MCP_CONVERGENCE_VERDICT,
  METRIC_MCP_CONVERGENCE_CONNECTIONS,
  METRIC_MCP_CONVERGENCE_OBSERVATIONS_DROPPED,
  METRIC_MCP_CONVERGENCE_SIGNAL_CONVERGENCE_DURATION,
  METRIC_MCP_CONVERGENCE_STALE_CALLS,
  METRIC_MCP_CONVERGENCE_VERDICTS,
  REASONS,
  type Reason,
} from '../semconv/names.ts';
import { SCOPE_NAME, SCOPE_VERSION } from '../semconv/scope.ts';
import type { Verdict, VerdictKind } from '../semconv/verdict.ts';
import type { Engine, StaleCall } from './core/index.ts';
import type { VerdictTelemetry } from './telemetry.ts';

/** Buckets of MCP durations, in seconds (GenAI/MCP semantic conventions, metrics). */
const BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** Lags are rounded to the microsecond. */
const SAME_SIGNAL_MS = 0.01;
/** Connections remembered; past it a late verdict on an old signal may be recorded again. */
const MAX_ANSWERED = 1000;

interface Instruments {
  readonly provider: MeterProvider;
  readonly verdicts: Counter;
  readonly staleCalls: Counter;
  readonly lag: Histogram;
}

export class VerdictMetrics {
  readonly #telemetry: VerdictTelemetry;
  readonly #engine: Engine;
  #instruments: Instruments | undefined;
  /** Time of the newest signal that was answered, by connection. */
  readonly #answered = new Map<string, number>();

  constructor(telemetry: VerdictTelemetry, engine: Engine) {
    this.#telemetry = telemetry;
    this.#engine = engine;
  }

  /** Makes the instruments that are missing, with every verdict at zero, so that the first stale one is an increase. */
  prepare(): void {
    this.#current();
  }

  verdict({ verdict, reason, signalLagS, connectionId, timeMs }: Verdict): void {
    const { verdicts, lag } = this.#current();
    verdicts.add(1, { [ATTR_MCP_CONVERGENCE_VERDICT]: verdict, [ATTR_MCP_CONVERGENCE_REASON]: reason });
    if (
      verdict === 'converged' &&
      signalLagS !== undefined &&
      this.#isFirstAnswer(connectionId, timeMs - 1000 * signalLagS)
    ) {
      lag.record(signalLagS);
    }
  }

  /** A later verdict on the same signal, hours on or of another layer, says nothing of how long convergence took. */
  #isFirstAnswer(connectionId: string, signalMs: number): boolean {
    const answered = this.#answered.get(connectionId);
    if (answered !== undefined && signalMs <= answered + SAME_SIGNAL_MS) return false;
    this.#answered.delete(connectionId);
    this.#answered.set(connectionId, signalMs);
    const eldest = this.#answered.size > MAX_ANSWERED ? this.#answered.keys().next().value : undefined;
    if (eldest !== undefined) this.#answered.delete(eldest);
    return true;
  }

  staleCall({ reason }: StaleCall): void {
    this.#current().staleCalls.add(1, { [ATTR_MCP_CONVERGENCE_REASON]: reason });
  }

  #current(): Instruments {
    const provider = this.#telemetry.meterProvider();
    if (this.#instruments?.provider === provider) return this.#instruments;
    const meter = provider.getMeter(SCOPE_NAME, SCOPE_VERSION);
    const verdicts = meter.createCounter(METRIC_MCP_CONVERGENCE_VERDICTS, { unit: '{verdict}' });
    for (const [reason, { verdict }] of Object.entries(REASONS) as [Reason, { verdict: VerdictKind }][]) {
      verdicts.add(0, { [ATTR_MCP_CONVERGENCE_VERDICT]: verdict, [ATTR_MCP_CONVERGENCE_REASON]: reason });
    }
    meter.createObservableGauge(METRIC_MCP_CONVERGENCE_CONNECTIONS, { unit: '{connection}' }).addCallback((result) => {
      for (const [verdict, count] of Object.entries(this.#engine.current()))
        result.observe(count, { [ATTR_MCP_CONVERGENCE_VERDICT]: verdict });
    });
    meter
      .createObservableCounter(METRIC_MCP_CONVERGENCE_OBSERVATIONS_DROPPED, { unit: '{observation}' })
      .addCallback((result) => {
        for (const [limit, count] of Object.entries(this.#engine.counters().dropped))
          result.observe(count, { [ATTR_MCP_CONVERGENCE_LIMIT]: limit });
      });
    this.#instruments = {
      provider,
      verdicts,
      staleCalls: meter.createCounter(METRIC_MCP_CONVERGENCE_STALE_CALLS, { unit: '{call}' }),
      lag: meter.createHistogram(METRIC_MCP_CONVERGENCE_SIGNAL_CONVERGENCE_DURATION, {
        unit: 's',
        advice: { explicitBucketBoundaries: BUCKETS },
      }),
    };
    return this.#instruments;
  }
}
