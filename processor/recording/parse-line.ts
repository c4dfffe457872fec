// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * One line of a recording: an observation as `run --record` writes it, or an OTLP/JSON export request as a Collector's file
 * exporter writes it, of which the spans are read. Pure. What cannot be read is named, never skipped: a verdict on half of the
 * evidence would look like any other.
 */

import { observationFault } from '../../semconv/check-observation.ts';
import { ATTR_MCP_CONVERGENCE_OBSERVATION_KIND } from '../../semconv/names.ts';
import type { Observation } from '../../semconv/observation.ts';
import { decodeObservation } from '../../semconv/observation-attributes.ts';
import { decodeTracesRequest, type PlainSpan } from '../service/decode-otlp-json.ts';

export type Parsed = { readonly observations: readonly Observation[] } | { readonly fault: string };

const OTLP_KEYS = ['resourceSpans', 'resourceLogs', 'resourceMetrics'];

export function parseLine(text: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // Of a text on one line, the line is the file's.
    return { fault: `no JSON: ${(error as Error).message.replace(/ \(line 1 column \d+\)$/, '')}` };
  }
  const isRequest = typeof value === 'object' && value !== null && OTLP_KEYS.some((key) => Object.hasOwn(value, key));
  if (isRequest) return readSpans(decodeTracesRequest(value));
  const fault = observationFault(value);
  return fault === undefined ? { observations: [value as Observation] } : { fault: `no observation: ${fault}` };
}

function readSpans(spans: readonly PlainSpan[]): Parsed {
  const observations: Observation[] = [];
  for (const span of spans) {
    const observation = observationOf(span);
    if (observation === 'unreadable')
      return { fault: `span "${span.name}" carries an observation with attributes missing or cut short` };
    if (observation) observations.push(observation);
  }
  return { observations };
}

/** Undefined for a span that carries none. */
export function observationOf(span: PlainSpan): Observation | 'unreadable' | undefined {
  const { attributes, startTimeMs, endTimeMs, traceId, spanId, traceFlags } = span;
  if (attributes[ATTR_MCP_CONVERGENCE_OBSERVATION_KIND] === undefined) return undefined;
  const timing = { startTimeMs, endTimeMs, span: { traceId, spanId, traceFlags } };
  return decodeObservation(attributes, timing) ?? 'unreadable';
}
