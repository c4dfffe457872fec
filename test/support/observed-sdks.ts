// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Both SDK majors in this process, loaded after the instrumentation, with every span and observation kept in memory.
 * One call per test file: module hooks are per process, and node:test runs each file in its own.
 */

import { subscribe } from 'node:diagnostics_channel';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { McpInstrumentationConfig } from '../../instrumentation/index.ts';
import { McpInstrumentation } from '../../instrumentation/index.ts';
import { OBSERVATION_CHANNEL, type Observation, type ObservationKind } from '../../semconv/observation.ts';

export type Of<K extends ObservationKind> = Extract<Observation, { kind: K }>;

export interface ObservedSdks {
  readonly instrumentation: McpInstrumentation;
  readonly provider: TracerProvider;
  readonly v1: typeof import('@modelcontextprotocol/sdk/client/index.js') &
    typeof import('@modelcontextprotocol/sdk/inMemory.js') &
    typeof import('@modelcontextprotocol/sdk/client/stdio.js') &
    typeof import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  readonly v2: typeof import('@modelcontextprotocol/client') & typeof import('@modelcontextprotocol/client/stdio');
  /** Everything since the last `reset`. */
  readonly observations: Observation[];
  of<K extends ObservationKind>(kind: K): Of<K>[];
  spans(name?: string): ReadableSpan[];
  metricNames(): Promise<Map<string, Record<string, unknown>[]>>;
  reset(): void;
}

export async function observeSdks(config: McpInstrumentationConfig = {}): Promise<ObservedSdks> {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const instrumentation = new McpInstrumentation({ propagator: new W3CTraceContextPropagator(), ...config });
  instrumentation.setTracerProvider(provider);
  instrumentation.setMeterProvider(meterProvider);
  const observations: Observation[] = [];
  subscribe(OBSERVATION_CHANNEL, (message) => {
    observations.push(message as Observation);
  });
  const v1 = {
    ...(await import('@modelcontextprotocol/sdk/client/index.js')),
    ...(await import('@modelcontextprotocol/sdk/inMemory.js')),
    ...(await import('@modelcontextprotocol/sdk/client/stdio.js')),
    ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
  };
  const v2 = {
    ...(await import('@modelcontextprotocol/client')),
    ...(await import('@modelcontextprotocol/client/stdio')),
  };
  return {
    instrumentation,
    provider,
    v1,
    v2,
    observations,
    of: <K extends ObservationKind>(kind: K) => observations.filter((one): one is Of<K> => one.kind === kind),
    spans: (name) => exporter.getFinishedSpans().filter((span) => name === undefined || span.name === name),
    metricNames: async () => {
      await meterProvider.forceFlush();
      const metrics =
        metricExporter
          .getMetrics()
          .at(-1)
          ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
      return new Map(
        metrics.map((m) => [
          m.descriptor.name,
          m.dataPoints.map((point) => point.attributes as Record<string, unknown>),
        ]),
      );
    },
    reset: () => {
      observations.length = 0;
      exporter.reset();
    },
  };
}

export async function until(condition: () => boolean, what: string, timeoutMs = 5000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`timed out waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
