// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The OpenTelemetry API as connections need it: spans with exact times, trace context in and out of `_meta`, duration
 * metrics. Everything is looked up late, since the app may start its SDK after us, and nothing here throws.
 */

import {
  type Context,
  context,
  type Histogram,
  type Meter,
  type MeterProvider,
  metrics,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  type TextMapPropagator,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import { toHrTime } from '../semconv/hr-time.ts';
import type { SpanRef } from '../semconv/observation.ts';
import { SCOPE_NAME, SCOPE_VERSION } from '../semconv/scope.ts';
import type { Simple } from './describe-operation.ts';
import type { JsonObject } from './json-rpc.ts';

/** Buckets of every MCP duration histogram, in seconds (GenAI/MCP semantic conventions, metrics). */
const DURATION_BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

export type DurationMetric =
  | 'mcp.client.operation.duration'
  | 'mcp.server.operation.duration'
  | 'mcp.client.session.duration';

type Kind = 'client' | 'server' | 'internal';
const KINDS: Readonly<Record<Kind, SpanKind>> = {
  client: SpanKind.CLIENT,
  server: SpanKind.SERVER,
  internal: SpanKind.INTERNAL,
};

/** `_meta` keys that carry trace context; reserved without prefix since MCP 2026-07-28. */
const getter = {
  keys: (carrier: JsonObject) => Object.keys(carrier),
  get: (carrier: JsonObject, key: string) => {
    const value = carrier[key];
    return typeof value === 'string' ? value : undefined;
  },
};

export class Telemetry {
  readonly #propagator: TextMapPropagator | undefined;
  #tracerProvider: TracerProvider | undefined;
  #meterProvider: MeterProvider | undefined;
  #tracer: { readonly provider: TracerProvider; readonly tracer: Tracer } | undefined;
  #instruments:
    | { readonly provider: MeterProvider; readonly meter: Meter; readonly histograms: Map<string, Histogram> }
    | undefined;

  constructor(propagator?: TextMapPropagator) {
    this.#propagator = propagator;
  }

  setTracerProvider(provider: TracerProvider): void {
    this.#tracerProvider = provider;
  }

  setMeterProvider(provider: MeterProvider): void {
    this.#meterProvider = provider;
  }

  #currentTracer(): Tracer {
    const provider = this.#tracerProvider ?? trace.getTracerProvider();
    if (this.#tracer?.provider !== provider) {
      this.#tracer = { provider, tracer: provider.getTracer(SCOPE_NAME, SCOPE_VERSION) };
    }
    return this.#tracer.tracer;
  }

  /** Unlike tracers, meters of the API are not late-bound: instruments made before the SDK would stay silent. */
  #currentInstruments(): { readonly meter: Meter; readonly histograms: Map<string, Histogram> } {
    const provider = this.#meterProvider ?? metrics.getMeterProvider();
    if (this.#instruments?.provider !== provider) {
      this.#instruments = { provider, meter: provider.getMeter(SCOPE_NAME, SCOPE_VERSION), histograms: new Map() };
    }
    return this.#instruments;
  }

  activeContext(): Context {
    return context.active();
  }

  startSpan(
    name: string,
    kind: Kind,
    startMs: number,
    attributes: Simple,
    parent: Context,
    links: readonly Span[] = [],
  ): Span {
    const options: SpanOptions = { kind: KINDS[kind], startTime: toHrTime(startMs), attributes };
    if (links.length > 0) options.links = links.map((span) => ({ context: span.spanContext() }));
    return this.#currentTracer().startSpan(name, options, parent);
  }

  endSpan(
    span: Span,
    endMs: number,
    attributes: Readonly<Record<string, string | number | boolean | string[]>>,
    error?: string,
  ): void {
    span.setAttributes(attributes);
    if (error !== undefined)
      span.setStatus(error ? { code: SpanStatusCode.ERROR, message: error } : { code: SpanStatusCode.ERROR });
    span.end(toHrTime(endMs));
  }

  /** Undefined when nothing records: links to all-zero ids would be dropped by the SDK with a warning. */
  refOf(span: Span): SpanRef | undefined {
    const { traceId, spanId, traceFlags } = span.spanContext();
    return trace.isSpanContextValid(span.spanContext()) ? { traceId, spanId, traceFlags } : undefined;
  }

  within(span: Span, parent: Context = context.active()): Context {
    return trace.setSpan(parent, span);
  }

  run<T>(active: Context, body: () => T): T {
    return context.with(active, body);
  }

  spanOf(active: Context): Span | undefined {
    return trace.getSpan(active);
  }

  /** The remote parent that a received message names, in a clean context: handlers must not inherit another call's. */
  extract(meta: JsonObject | undefined): Context {
    if (!meta) return ROOT_CONTEXT;
    if (this.#propagator) return this.#propagator.extract(ROOT_CONTEXT, meta, getter);
    return propagation.extract(ROOT_CONTEXT, meta, getter);
  }

  /** What the configured propagator wants to send; empty without one. */
  inject(active: Context): Readonly<Record<string, string>> {
    const carrier: Record<string, string> = {};
    const setter = {
      set: (target: Record<string, string>, key: string, value: string) => {
        target[key] = value;
      },
    };
    if (this.#propagator) this.#propagator.inject(active, carrier, setter);
    else propagation.inject(active, carrier, setter);
    return carrier;
  }

  recordDuration(name: DurationMetric, seconds: number, attributes: Simple, active: Context): void {
    const { meter, histograms } = this.#currentInstruments();
    let histogram = histograms.get(name);
    if (!histogram) {
      histogram = meter.createHistogram(name, { unit: 's', advice: { explicitBucketBoundaries: DURATION_BUCKETS } });
      histograms.set(name, histogram);
    }
    histogram.record(seconds, attributes, active);
  }

  count(name: string, attributes: Simple): void {
    this.#currentInstruments().meter.createCounter(name).add(1, attributes);
  }
}
