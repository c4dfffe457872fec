// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Register with providers of its own, never registered globally, that export to the receiver of `mcp-convergence run`. Built
 * with everything inlined, so it works beside any OpenTelemetry SDK or none, and leaves the app's own telemetry as it is.
 * Loaded by `run-preload.ts`.
 */

import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { readPairs } from '../processor/key-value-list.ts';
import { compose } from './compose.ts';
import { readEnvironment } from './environment.ts';
import { VerdictOutbox } from './outbox.ts';
import { onProcessEnd } from './process-end.ts';
import { UnsentSpans } from './unsent-spans.ts';
import { Endpoint } from './until-gone.ts';

/** Verdict lines are meant to be seen live. */
const DELAY_MS = 100;
/** The receiver is on this machine; and its agent should not wait long for it. */
const TIMEOUT_MS = 1000;

/** `url` is the base URL of the receiver. */
export function observeRun(url: string): void {
  const environment = readEnvironment();
  if (environment.disabled) return;
  const attributes = {
    'service.name': process.env.OTEL_SERVICE_NAME || 'mcp-agent',
    ...readPairs(process.env.OTEL_RESOURCE_ATTRIBUTES),
    'process.pid': process.pid,
  };
  const resource = resourceFromAttributes(attributes);
  const outbox = new VerdictOutbox();
  const unsent = new UnsentSpans();
  const endpoint = new Endpoint();
  const traceExporter = new OTLPTraceExporter({ url: `${url}/v1/traces`, timeoutMillis: TIMEOUT_MS });
  const logExporter = new OTLPLogExporter({ url: `${url}/v1/logs`, timeoutMillis: TIMEOUT_MS });
  const metricExporter = new OTLPMetricExporter({ url: `${url}/v1/metrics`, timeoutMillis: TIMEOUT_MS });
  const tracerProvider = new TracerProvider({
    resource,
    // What the app samples for itself, and so the parent of our spans, says nothing about this run.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [
      unsent,
      new BatchSpanProcessor({
        exporter: endpoint.watch(traceExporter, (spans) => unsent.sent(spans)),
        scheduledDelayMillis: DELAY_MS,
      }),
    ],
  });
  const loggerProvider = new LoggerProvider({
    resource,
    processors: [
      new BatchLogRecordProcessor({
        exporter: endpoint.watch(logExporter, (records) => outbox.sent(records)),
        scheduledDelayMillis: DELAY_MS,
      }),
    ],
  });
  const meterProvider = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: endpoint.watch(metricExporter),
        exportIntervalMillis: 10_000,
      }),
    ],
  });
  const composition = compose(environment, {
    providers: { tracerProvider, meterProvider, loggerProvider },
    propagator: new W3CTraceContextPropagator(),
    onVerdict: (verdict) => outbox.add(verdict),
  });
  if (!composition) return;
  onProcessEnd({
    finish: () => composition.finish(),
    flush: async () => {
      if (!composition.observed) return;
      await Promise.allSettled([tracerProvider.forceFlush(), loggerProvider.forceFlush(), meterProvider.forceFlush()]);
    },
    flushSync: () => {
      if (endpoint.gone) return;
      const strings = Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, String(value)]));
      const spans = unsent.take();
      outbox.postSync(
        { logs: { url: `${url}/v1/logs`, headers: {} }, resource: strings },
        spans === undefined ? [] : [{ url: `${url}/v1/traces`, headers: {}, body: spans }],
      );
    },
  });
}
