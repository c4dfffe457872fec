// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * A verdict as an OpenTelemetry event, and as a short INTERNAL span linked to what was judged, for backends that store only
 * traces. Both carry the same attributes, and the event sits in the context of the span.
 */

import { type Context, type Link, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { toHrTime } from '../semconv/hr-time.ts';
import {
  ATTR_MCP_CONVERGENCE_CONNECTION_ID,
  ATTR_MCP_CONVERGENCE_REASON,
  EVENT_MCP_CONVERGENCE_STALE_CALL,
  EVENT_MCP_CONVERGENCE_VERDICT,
  SPAN_MCP_CONVERGENCE_VERDICT,
} from '../semconv/names.ts';
import type { SpanRef } from '../semconv/observation.ts';
import { ATTR_GEN_AI_TOOL_NAME } from '../semconv/upstream.ts';
import type { Verdict } from '../semconv/verdict.ts';
import { encodeVerdict } from '../semconv/verdict-attributes.ts';
import type { StaleCall } from './core/index.ts';
import type { VerdictTelemetry } from './telemetry.ts';

/** Severity numbers of the log data model. A call made on a stale registry is the one thing that is wrong by itself. */
const SEVERITY = { info: 9, warn: 13, error: 17 } as const;

export function emitVerdict(telemetry: VerdictTelemetry, verdict: Verdict): void {
  const attributes = encodeVerdict(verdict);
  const timestamp = toHrTime(verdict.timeMs);
  const links: Link[] = verdict.judged.map((span) => ({ context: { ...span, isRemote: true } }));
  // A root of its own: the verdict may fall seconds after the judged trace, in whatever context happens to be active.
  const options = { kind: SpanKind.INTERNAL, startTime: timestamp, attributes, links };
  const span = telemetry.tracer().startSpan(SPAN_MCP_CONVERGENCE_VERDICT, options, ROOT_CONTEXT);
  try {
    telemetry.logger().emit({
      eventName: EVENT_MCP_CONVERGENCE_VERDICT,
      timestamp,
      severityNumber: verdict.verdict === 'converged' ? SEVERITY.info : SEVERITY.warn,
      attributes,
      context: trace.setSpan(ROOT_CONTEXT, span),
    });
  } finally {
    // Not before: processors may copy an event onto its span while that is recording.
    span.end(timestamp);
  }
}

export function emitStaleCall(telemetry: VerdictTelemetry, call: StaleCall): void {
  telemetry.logger().emit({
    eventName: EVENT_MCP_CONVERGENCE_STALE_CALL,
    timestamp: toHrTime(call.timeMs),
    severityNumber: SEVERITY.error,
    attributes: {
      [ATTR_MCP_CONVERGENCE_CONNECTION_ID]: call.connectionId,
      [ATTR_MCP_CONVERGENCE_REASON]: call.reason,
      [ATTR_GEN_AI_TOOL_NAME]: call.tool,
    },
    context: call.span ? contextOf(call.span) : ROOT_CONTEXT,
  });
}

function contextOf(span: SpanRef): Context {
  return trace.setSpanContext(ROOT_CONTEXT, { ...span, isRemote: false });
}
