// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * A place for child processes to export to: OTLP/HTTP in JSON on a free loopback port, kept as plain data. Deliberately not
 * the product's own receiver, so that what a test sees here does not depend on the code under test.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type Attributes = Readonly<Record<string, unknown>>;

export interface SinkSpan {
  readonly name: string;
  /** As OTLP numbers them: 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly attributes: Attributes;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
}

export interface SinkLog {
  readonly eventName: string | undefined;
  readonly severityText: string | undefined;
  readonly attributes: Attributes;
}

export interface OtlpSink {
  readonly url: string;
  readonly spans: readonly SinkSpan[];
  readonly logs: readonly SinkLog[];
  readonly metricNames: ReadonlySet<string>;
  /** Environment that makes any OpenTelemetry SDK for Node export here at once. */
  readonly env: Readonly<Record<string, string>>;
  /** Resolves once `ready` is true of what has arrived, and rejects after `timeoutMs`. */
  until(ready: () => boolean, timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
}

export async function startOtlpSink(): Promise<OtlpSink> {
  const spans: SinkSpan[] = [];
  const logs: SinkLog[] = [];
  const metricNames = new Set<string>();

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    for (const { scopeSpans } of body.resourceSpans ?? []) {
      for (const scope of scopeSpans) spans.push(...scope.spans.map(readSpan));
    }
    for (const { scopeLogs } of body.resourceLogs ?? []) {
      for (const scope of scopeLogs) logs.push(...scope.logRecords.map(readLog));
    }
    for (const { scopeMetrics } of body.resourceMetrics ?? []) {
      for (const scope of scopeMetrics) for (const metric of scope.metrics) metricNames.add(metric.name);
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    spans,
    logs,
    metricNames,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_LOGS_EXPORTER: 'otlp',
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_BLRP_SCHEDULE_DELAY: '100',
    },
    until: async (ready, timeoutMs = 10_000) => {
      const deadline = Date.now() + timeoutMs;
      while (!ready()) {
        if (Date.now() > deadline) throw new Error(`not in ${timeoutMs} ms; arrived: ${describe(spans, logs)}`);
        await sleep(20);
      }
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface OtlpKeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

const readAttributes = (list: readonly OtlpKeyValue[] = []): Attributes =>
  Object.fromEntries(list.map(({ key, value }) => [key, readValue(value)]));

function readValue(value: Readonly<Record<string, unknown>>): unknown {
  const [kind, plain] = Object.entries(value)[0] ?? [];
  if (kind === 'intValue') return Number(plain);
  if (kind === 'arrayValue') return ((plain as { values?: Record<string, unknown>[] }).values ?? []).map(readValue);
  if (kind === 'kvlistValue') return readAttributes((plain as { values?: OtlpKeyValue[] }).values);
  return plain;
}

// biome-ignore lint/suspicious/noExplicitAny: OTLP/JSON as the exporter wrote it; a wrong shape fails the test that reads it
const readSpan = (span: any): SinkSpan => ({
  name: span.name,
  kind: span.kind,
  traceId: span.traceId,
  spanId: span.spanId,
  parentSpanId: span.parentSpanId || undefined,
  attributes: readAttributes(span.attributes),
  links: span.links ?? [],
});

// biome-ignore lint/suspicious/noExplicitAny: see above
const readLog = (log: any): SinkLog => ({
  eventName: log.eventName || undefined,
  severityText: log.severityText,
  attributes: readAttributes(log.attributes),
});

const describe = (spans: readonly SinkSpan[], logs: readonly SinkLog[]): string =>
  JSON.stringify([...spans.map((span) => span.name), ...logs.map((log) => log.eventName)]);
