// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The front end fed with spans: an OpenTelemetry SpanProcessor, for a process whose MCP spans come from elsewhere or whose
 * owner lists processors by hand. Sees only what is sampled; what is missing shows as a gap in the sequence.
 * Fits SDK 2 and SDK 3, whose interfaces differ only in members that are not used here.
 */

import { type Context, diag, type SpanContext } from '@opentelemetry/api';
import { fromHrTime, type HrTime } from '../semconv/hr-time.ts';
import { decodeObservation } from '../semconv/observation-attributes.ts';
import { EngineRunner, type EngineRunnerConfig } from './engine-runner.ts';
import { hasInProcessVerdicts } from './in-process.ts';

/** What is read of a finished span. */
export interface FinishedSpan {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly startTime: Readonly<HrTime>;
  readonly endTime: Readonly<HrTime>;
  spanContext(): SpanContext;
}

export interface ConvergenceSpanProcessorConfig extends EngineRunnerConfig {
  /** Give verdicts although `mcp-convergence/register` gives them in this process already. @default false */
  readonly force?: boolean;
}

export class ConvergenceSpanProcessor {
  readonly #runner: EngineRunner;
  readonly #force: boolean;
  #silenced = false;
  #ended = false;

  /** @throws TypeError when a limit is not a usable number. */
  constructor(config: ConvergenceSpanProcessorConfig = {}) {
    this.#runner = new EngineRunner(config);
    this.#force = config.force ?? false;
  }

  onStart(_span: unknown, _parentContext: Context): void {}

  onEnd(span: FinishedSpan): void {
    if (this.#ended) return;
    try {
      const { traceId, spanId, traceFlags } = span.spanContext();
      const observation = decodeObservation(span.attributes, {
        startTimeMs: fromHrTime(span.startTime),
        endTimeMs: fromHrTime(span.endTime),
        span: { traceId, spanId, traceFlags },
      });
      if (observation && !this.#isSilent()) this.#runner.observe(observation);
    } catch (error) {
      diag.error('mcp-convergence: a span could not be read', error);
    }
  }

  /** Two front ends in one process would give every verdict twice. */
  #isSilent(): boolean {
    if (this.#force || !hasInProcessVerdicts()) return false;
    if (!this.#silenced)
      diag.info('mcp-convergence: verdicts are given by register in this process, the span processor is silent');
    this.#silenced = true;
    return true;
  }

  async forceFlush(): Promise<void> {}

  /** Decides what is pending. The verdict spans that this makes are not seen by a provider that is shut down already. */
  async shutdown(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#runner.end();
  }
}
