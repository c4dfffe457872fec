// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Spans that have ended and were not acknowledged yet, for the one end of a process that allows no asynchronous work. Only the
 * preload of `run` has it: elsewhere spans are the app's own SDK's business.
 */

import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace';

/** As many as a batch processor queues by default; what is older was sent or lost there. */
const MAX_KEPT = 2048;

export class UnsentSpans implements SpanProcessor {
  readonly #kept = new Set<ReadableSpan>();

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    const eldest = this.#kept.size >= MAX_KEPT ? this.#kept.values().next().value : undefined;
    if (eldest) this.#kept.delete(eldest);
    this.#kept.add(span);
  }

  /** These were taken by the receiver. */
  sent(spans: readonly ReadableSpan[]): void {
    for (const span of spans) this.#kept.delete(span);
  }

  /** Body of a POST to `/v1/traces`, in JSON; undefined when nothing is left. Afterwards nothing is. */
  take(): string | undefined {
    const left = [...this.#kept];
    this.#kept.clear();
    const body = left.length > 0 ? JsonTraceSerializer.serializeRequest(left) : undefined;
    return body && Buffer.from(body).toString('utf8');
  }

  async forceFlush(): Promise<void> {}
  async shutdown(): Promise<void> {}
}
