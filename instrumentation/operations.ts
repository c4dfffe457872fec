// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Requests and notifications of one connection as MCP spans and duration metrics: starts one when a message leaves or
 * arrives, ends it exactly once, whatever comes first (reply, cancellation, failed send, close). Knows nothing of
 * catalogs; what a `tools/list` or handshake reply means is told by whoever routes the frames.
 */

import type { Context, Span } from '@opentelemetry/api';
import { MAX_TEXT } from '../semconv/limits.ts';
import {
  ATTR_MCP_CONVERGENCE_CANCELLED,
  ATTR_MCP_CONVERGENCE_INPUT_REQUIRED,
  ATTR_MCP_CONVERGENCE_RESUMED,
  ATTR_MCP_CONVERGENCE_TOOL_DIGEST,
  ATTR_MCP_CONVERGENCE_TOOL_SCHEMA_REVISION,
  SPAN_MCP_CONVERGENCE_LATE_REPLY,
} from '../semconv/names.ts';
import { ATTR_ERROR_TYPE } from '../semconv/upstream.ts';
import { readClock } from './clock.ts';
import type { Connection, Sighting } from './connection.ts';
import {
  describeEnding,
  describeForMetric,
  describeForSpan,
  describeServer,
  type Ending,
  errorTypeOf,
  foldMethod,
  nameOperation,
  refusalOf,
  type Simple,
  toolNameOf,
} from './describe-operation.ts';
import { type JsonObject, type RequestId, replyKey } from './json-rpc.ts';

/** Requests in flight at once; past it the oldest is ended as failed rather than kept for ever. */
const MAX_IN_FLIGHT = 4096;
/** Requests answered whose second answer is still recognised. */
const MAX_ANSWERED = 256;
/** Requests given up whose late replies are still recognised. */
const MAX_ABANDONED = 256;

export type Side = 'client' | 'server';

export interface Operation {
  readonly side: Side;
  readonly id: RequestId | undefined;
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly span: Span;
  /** Active while the message is sent or handled. */
  readonly context: Context;
  readonly startMs: number;
  readonly startSequence: number;
  readonly metric: Simple;
  readonly schema: { readonly toolDigest: string; readonly schemaRevision: number } | undefined;
  ended: boolean;
}

export interface StartOptions {
  readonly parent: Context;
  readonly links?: readonly Span[];
  /** The SDK asks the transport to resume an earlier reply instead of sending the message again. */
  readonly resumed?: boolean;
}

const CALL_OUTCOMES = {
  ok: 'ok',
  input_required: 'input_required',
  tool_error: 'tool_error',
  rpc_error: 'error',
  failure: 'error',
  cancelled: 'cancelled',
} as const satisfies Record<Ending['kind'], string>;

export class Operations {
  readonly #connection: Connection;
  readonly #inFlight = { client: new Map<string, Operation>(), server: new Map<string, Operation>() };
  readonly #abandoned = new Map<string, Operation>();
  readonly #answered = new Set<string>();
  /** Ids whose timer ran out: the cancellation that follows is a timeout, not a change of mind. */
  readonly #timedOut = new Set<string>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  start(
    side: Side,
    method: string,
    id: RequestId | undefined,
    params: JsonObject | undefined,
    options: StartOptions,
  ): Operation {
    const connection = this.#connection;
    const { telemetry } = connection.observer;
    const startMs = readClock();
    const shared = describeForMetric(method, params, connection.endpoint, connection.protocolVersion);
    const metric = side === 'client' ? { ...shared, ...describeServer(connection.endpoint) } : shared;
    const tool = side === 'client' ? toolNameOf(method, params) : undefined;
    const attributes = {
      ...metric,
      ...describeForSpan(method, params, id, connection.sessionId),
      ...connection.describe(),
    };
    if (options.resumed) attributes[ATTR_MCP_CONVERGENCE_RESUMED] = true;
    const span = telemetry.startSpan(
      nameOperation(method, params),
      side,
      startMs,
      attributes,
      options.parent,
      options.links,
    );
    const operation: Operation = {
      side,
      id,
      method,
      params,
      span,
      context: telemetry.within(span, options.parent),
      startMs,
      startSequence: connection.nextSequence,
      metric,
      schema: tool === undefined ? undefined : connection.catalogs.schemaOf(tool),
      ended: false,
    };
    if (id !== undefined) this.#admit(side, replyKey(id), operation);
    return operation;
  }

  #admit(side: Side, key: string, operation: Operation): void {
    const inFlight = this.#inFlight[side];
    const same = inFlight.get(key);
    if (same) this.finish(same, { kind: 'failure', errorType: 'id_reused' });
    const oldest = inFlight.size >= MAX_IN_FLIGHT ? inFlight.values().next().value : undefined;
    if (oldest) this.finish(oldest, { kind: 'failure', errorType: 'too_many_in_flight' });
    inFlight.set(key, operation);
  }

  find(side: Side, id: RequestId): Operation | undefined {
    return this.#inFlight[side].get(replyKey(id));
  }

  /** Ends the span with `sighting`, or with what follows from the method. Further calls change nothing. */
  finish(operation: Operation, ending: Ending, sighting: Sighting = sight(operation, ending)): void {
    if (operation.ended) return;
    operation.ended = true;
    const { side, id } = operation;
    if (id !== undefined) this.#inFlight[side].delete(replyKey(id));
    const described = describeEnding(ending, side);
    const more: Simple = { ...described };
    if (ending.kind === 'cancelled') more[ATTR_MCP_CONVERGENCE_CANCELLED] = true;
    if (ending.kind === 'input_required') more[ATTR_MCP_CONVERGENCE_INPUT_REQUIRED] = true;
    if (operation.schema) {
      more[ATTR_MCP_CONVERGENCE_TOOL_DIGEST] = operation.schema.toolDigest;
      more[ATTR_MCP_CONVERGENCE_TOOL_SCHEMA_REVISION] = operation.schema.schemaRevision;
    }
    const failed = ATTR_ERROR_TYPE in described;
    const description = ending.kind === 'rpc_error' || ending.kind === 'failure' ? (ending.description ?? '') : '';
    this.#connection.record(operation.span, sighting, { more, error: failed ? description : undefined });
    const { telemetry } = this.#connection.observer;
    const seconds = Math.max(0, (readClock() - operation.startMs) / 1000);
    const name = side === 'client' ? 'mcp.client.operation.duration' : 'mcp.server.operation.duration';
    telemetry.recordDuration(name, seconds, { ...foldMethod(operation.metric), ...described }, operation.context);
  }

  /** The SDK's own timer for a request ran out; it will cancel the request in the same turn. */
  timedOut(id: RequestId): void {
    const operation = this.find('client', id);
    if (!operation) return;
    this.#timedOut.add(replyKey(id));
  }

  /** A request is given up by its sender. Returns it and how it ended, when it was in flight. */
  abandon(side: Side, id: RequestId, reason: unknown): { operation: Operation; ending: Ending } | undefined {
    const operation = this.find(side, id);
    const timedOut = this.#timedOut.delete(replyKey(id)) || /\btimed? ?out\b/i.test(String(reason ?? ''));
    if (!operation) return undefined;
    const ending: Ending = timedOut ? { kind: 'failure', errorType: 'timeout' } : { kind: 'cancelled' };
    this.finish(operation, ending);
    if (side === 'client') {
      const oldest = this.#abandoned.size >= MAX_ABANDONED ? this.#abandoned.keys().next().value : undefined;
      if (oldest !== undefined) this.#abandoned.delete(oldest);
      this.#abandoned.set(replyKey(id), operation);
    }
    return { operation, ending };
  }

  /** A request of the client was answered. */
  answered(id: RequestId): void {
    const oldest = this.#answered.size >= MAX_ANSWERED ? this.#answered.values().next().value : undefined;
    if (oldest !== undefined) this.#answered.delete(oldest);
    this.#answered.add(replyKey(id));
  }

  /**
   * A reply to nothing in flight. Known when its request was given up: noted, and never taken for a result. On a pipe one
   * process answers a request once, so a second answer comes from a process that was put in its place and given the same
   * requests (public case: a supervisor that replays them); elsewhere a resumed stream may repeat what it sent.
   */
  late(id: RequestId): void {
    const operation = this.#abandoned.get(replyKey(id));
    if (!operation) {
      if (this.#connection.kind !== 'stdio' || !this.#answered.has(replyKey(id))) return;
      // The others that were replayed are answered again as well, and say no more.
      this.#answered.clear();
      this.#connection.renewEpoch('reply_repeated');
      return;
    }
    this.#abandoned.delete(replyKey(id));
    const { telemetry } = this.#connection.observer;
    this.#connection.note(
      SPAN_MCP_CONVERGENCE_LATE_REPLY,
      { kind: 'operation', method: operation.method, errorType: 'late_reply' },
      { parent: telemetry.extract(undefined), links: [operation.span] },
    );
  }

  /** Nothing in flight will be answered any more. */
  close(ending: Ending): readonly Operation[] {
    const left = [...this.#inFlight.client.values(), ...this.#inFlight.server.values()];
    const { observer } = this.#connection;
    for (const operation of left) observer.guard(() => this.finish(operation, ending), undefined);
    return left;
  }
}

/** The observation that an ended operation is, unless the reply says more. */
function sight(operation: Operation, ending: Ending): Sighting {
  const errorType = errorTypeOf(ending, operation.side);
  const failure = errorType === undefined ? {} : { errorType };
  const tool = operation.side === 'client' ? toolNameOf(operation.method, operation.params) : undefined;
  if (tool === undefined) return { kind: 'operation', method: operation.method.slice(0, MAX_TEXT), ...failure };
  const refusal = refusalOf(ending, tool);
  return {
    kind: 'call',
    tool: tool.slice(0, MAX_TEXT),
    outcome: errorType === 'timeout' ? 'timeout' : CALL_OUTCOMES[ending.kind],
    startSequence: operation.startSequence,
    ...operation.schema,
    ...failure,
    ...(refusal && { refusal }),
  };
}
