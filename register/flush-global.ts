// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Asks the globally registered providers of all three signals to export what they hold. They stay usable. Never rejects. */

import { metrics, trace } from '@opentelemetry/api';
import { findLogsApi } from '../processor/telemetry.ts';

/** What SDK providers have beyond the API; the API hands out a proxy for some of them. */
interface Flushable {
  forceFlush?(): Promise<void>;
  getDelegate?(): Flushable;
}

async function flush(providers: readonly unknown[]): Promise<void> {
  await Promise.allSettled(
    (providers as Flushable[]).map(async (provider) => (provider.getDelegate?.() ?? provider).forceFlush?.()),
  );
}

export async function flushGlobal(): Promise<void> {
  await flush([trace.getTracerProvider(), metrics.getMeterProvider(), findLogsApi().getLoggerProvider()]);
}

/** Takes no time when there are no spans; metrics would be exported even at zero. */
export async function flushTraces(): Promise<void> {
  await flush([trace.getTracerProvider()]);
}
