// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Verdicts as OTLP/JSON export requests, for the end of a process in which no exporter can run any more. */

import { randomBytes } from 'node:crypto';
import { toHrTime } from '../semconv/hr-time.ts';
import { EVENT_MCP_CONVERGENCE_VERDICT, SPAN_MCP_CONVERGENCE_VERDICT } from '../semconv/names.ts';
import { SCOPE_NAME, SCOPE_VERSION } from '../semconv/scope.ts';
import type { Verdict } from '../semconv/verdict.ts';
import { encodeVerdict } from '../semconv/verdict-attributes.ts';

type Value = string | number | boolean | readonly string[];

const SCOPE = { name: SCOPE_NAME, version: SCOPE_VERSION };
const INTERNAL_KIND = 1;

function encodeValue(value: Value): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map(encodeValue) } };
}

function encodeAttributes(attributes: Readonly<Record<string, Value>>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: encodeValue(value) }));
}

function toNanos(timeMs: number): string {
  const [seconds, nanoseconds] = toHrTime(timeMs);
  return `${seconds}${String(nanoseconds).padStart(9, '0')}`;
}

/** Body of a POST to `/v1/logs`. */
export function encodeLogsRequest(verdicts: readonly Verdict[], resource: Readonly<Record<string, string>>): string {
  const logRecords = verdicts.map((verdict) => ({
    timeUnixNano: toNanos(verdict.timeMs),
    observedTimeUnixNano: toNanos(verdict.timeMs),
    severityNumber: verdict.verdict === 'converged' ? 9 : 13,
    eventName: EVENT_MCP_CONVERGENCE_VERDICT,
    attributes: encodeAttributes(encodeVerdict(verdict)),
  }));
  return JSON.stringify({
    resourceLogs: [{ resource: { attributes: encodeAttributes(resource) }, scopeLogs: [{ scope: SCOPE, logRecords }] }],
  });
}

/** Body of a POST to `/v1/traces`. */
export function encodeTracesRequest(verdicts: readonly Verdict[], resource: Readonly<Record<string, string>>): string {
  const spans = verdicts.map((verdict) => ({
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    flags: 1,
    name: SPAN_MCP_CONVERGENCE_VERDICT,
    kind: INTERNAL_KIND,
    startTimeUnixNano: toNanos(verdict.timeMs),
    endTimeUnixNano: toNanos(verdict.timeMs),
    attributes: encodeAttributes(encodeVerdict(verdict)),
    links: verdict.judged.map(({ traceId, spanId }) => ({ traceId, spanId })),
    status: {},
  }));
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes: encodeAttributes(resource) }, scopeSpans: [{ scope: SCOPE, spans }] }],
  });
}
