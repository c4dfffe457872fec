// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Routes the JSON-RPC frames of one connection: every frame to its span, and those that say something of a catalog
 * (handshake, `tools/list`, `list_changed`, listen acknowledgements) on to the connection and its discovery.
 * Reads frames, never changes them; the one thing added, trace context, goes onto a copy.
 */

import { type Context, isSpanContextValid, type Span } from '@opentelemetry/api';
import { readClock } from './clock.ts';
import type { Connection, Sighting } from './connection.ts';
import { classifyError, describeSession, type Ending } from './describe-operation.ts';
import { Discovery } from './discovery.ts';
import { type HandshakeSighting, readDiscoverResult, readInitializeResult } from './handshake.ts';
import {
  type Frame,
  isRequestId,
  type JsonObject,
  type RequestId,
  readFrame,
  readMeta,
  readProtocolVersion,
} from './json-rpc.ts';
import { type Operation, Operations } from './operations.ts';
import { Subscriptions } from './subscriptions.ts';
import type { OpenTraversal } from './traversals.ts';

export const LIST_CHANGED = 'notifications/tools/list_changed';

/** Requests that do the caller's work, as against protocol upkeep. */
const CALL_METHODS = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Options of `transport.send` that matter here; everything is handed on as it is. */
export interface SendOptions {
  readonly resumptionToken?: unknown;
  readonly requestSignal?: AbortSignal;
}

export interface Outgoing {
  readonly message: unknown;
  readonly options: unknown;
  readonly context: Context;
  /** To be called once `send` has settled, with what it rejected with. */
  readonly settled: (error?: unknown) => void;
}

type RequestFrame = Extract<Frame, { kind: 'request' }>;
type ReplyFrame = Extract<Frame, { kind: 'result' | 'error' }>;
type NotificationFrame = Extract<Frame, { kind: 'notification' }>;

export class Wire {
  readonly connection: Connection;
  readonly discovery: Discovery;
  readonly operations: Operations;
  readonly #readSessionId: () => string | undefined;
  readonly #pages = new WeakMap<Operation, OpenTraversal>();
  readonly #subscriptions: Subscriptions;

  constructor(connection: Connection, strictCursors: boolean, readSessionId: () => string | undefined) {
    this.connection = connection;
    this.discovery = new Discovery(connection, strictCursors);
    this.operations = new Operations(connection);
    this.#subscriptions = new Subscriptions(connection);
    this.#readSessionId = readSessionId;
  }

  outgoing(message: unknown, options: unknown): Outgoing | undefined {
    const frame = readFrame(message);
    switch (frame?.kind) {
      case 'request':
        return this.#request(frame, message as JsonObject, options);
      case 'notification':
        return this.#notify(frame, message as JsonObject, options);
      case 'result':
      case 'error':
        this.#answer(frame);
        return undefined;
      default:
        return undefined;
    }
  }

  #request(frame: RequestFrame, message: JsonObject, sendOptions: unknown): Outgoing {
    const { connection, operations } = this;
    const { telemetry } = connection.observer;
    connection.protocolVersion = readProtocolVersion(frame.params) ?? connection.protocolVersion;
    const active = telemetry.activeContext();
    const page = frame.method === 'tools/list' ? this.discovery.request(frame.params, active) : undefined;
    const options = (sendOptions ?? {}) as SendOptions;
    const operation = operations.start('client', frame.method, frame.id, frame.params, {
      parent: page?.context ?? active,
      resumed: options.resumptionToken !== undefined,
    });
    if (page) this.#pages.set(operation, page.traversal);
    const listens = frame.method === 'subscriptions/listen';
    // Over modern HTTP a request is given up by closing its stream; no message says so.
    options.requestSignal?.addEventListener('abort', () => this.#guarded(() => this.#giveUp(frame.id, undefined)), {
      once: true,
    });
    return {
      message: this.#withTraceContext(message, frame, operation.context),
      options: listens ? this.#subscriptions.opening(frame.id, operation, sendOptions) : sendOptions,
      context: operation.context,
      settled: (error) => {
        if (error !== undefined) this.#sendFailed(operation, error);
      },
    };
  }

  #notify(frame: NotificationFrame, message: JsonObject, options: unknown): Outgoing {
    const { connection, operations } = this;
    const active = connection.observer.telemetry.activeContext();
    if (frame.method === 'notifications/cancelled') {
      const id = frame.params?.requestId;
      if (isRequestId(id)) this.#giveUp(id, frame.params?.reason);
    }
    const operation = operations.start('client', frame.method, undefined, frame.params, { parent: active });
    return {
      message: this.#withTraceContext(message, frame, operation.context),
      options,
      context: operation.context,
      settled: (error) => {
        if (frame.method === 'notifications/initialized') connection.initialized = true;
        operations.finish(operation, error === undefined ? { kind: 'ok' } : failureOf(error));
      },
    };
  }

  /** The client answers a request of the server. */
  #answer(frame: ReplyFrame): void {
    const operation = this.operations.find('server', frame.id);
    if (operation) this.operations.finish(operation, endingOf(frame));
  }

  /** A copy with the trace context, or the message itself when there is nothing to add. */
  #withTraceContext(message: JsonObject, frame: RequestFrame | NotificationFrame, active: Context): JsonObject {
    const { config, telemetry } = this.connection.observer;
    if (config.propagation === 'off') return message;
    if (config.propagation === 'calls' && !CALL_METHODS.has(frame.method)) return message;
    // Params of another shape than an object are the app's business.
    if (message.params !== undefined && frame.params === undefined) return message;
    const carrier = telemetry.inject(active);
    if (Object.keys(carrier).length === 0) return message;
    return { ...message, params: { ...frame.params, _meta: { ...carrier, ...readMeta(frame.params) } } };
  }

  #sendFailed(operation: Operation, error: unknown): void {
    const ending = failureOf(error);
    this.operations.finish(operation, ending);
    this.#failPage(operation, ending);
    if (operation.id !== undefined) this.#subscriptions.ended(operation.id);
    // Servers answer 404 to a session they no longer know; neither SDK starts a new one by itself.
    const lost = ending.kind === 'failure' && ending.errorType === '404' && this.connection.sessionId !== undefined;
    if (lost) this.connection.renewEpoch('session_lost');
  }

  #giveUp(id: RequestId, reason: unknown): void {
    const operation = this.operations.abandon('client', id, reason);
    if (operation) this.#failPage(operation, { kind: 'cancelled' });
    this.#subscriptions.ended(id);
  }

  #failPage(operation: Operation, ending: Ending): void {
    const traversal = this.#pages.get(operation);
    if (!traversal) return;
    this.#pages.delete(operation);
    const errorType =
      ending.kind === 'failure' ? ending.errorType : ending.kind === 'rpc_error' ? String(ending.code) : ending.kind;
    this.discovery.fail(traversal, errorType);
  }

  incoming(message: unknown, dispatch: () => unknown): unknown {
    const { chains, telemetry } = this.connection.observer;
    const frame = readFrame(message);
    switch (frame?.kind) {
      case 'result':
      case 'error':
        this.#guarded(() => this.#reply(frame));
        return dispatch();
      case 'request': {
        const operation = this.#guarded(() =>
          this.operations.start('server', frame.method, frame.id, frame.params, this.#received(frame)),
        );
        return operation ? telemetry.run(operation.context, dispatch) : dispatch();
      }
      case 'notification': {
        const sequence = this.connection.nextSequence;
        const active = this.#guarded(() => this.#notified(frame));
        if (!active) return dispatch();
        if (frame.method !== LIST_CHANGED) return telemetry.run(active, dispatch);
        // What the handler starts, a debounced refresh included, inherits both contexts and so is tied to the signal.
        const signal = { connectionId: this.connection.id, sequence };
        return chains.run({ signal }, () => telemetry.run(active, dispatch));
      }
      default:
        return dispatch();
    }
  }

  /** Remote parent from the message, link to whatever happened to be active (conventions, server spans). */
  #received(frame: { readonly params: JsonObject | undefined }): { parent: Context; links: readonly Span[] } {
    const { telemetry } = this.connection.observer;
    const ambient = telemetry.spanOf(telemetry.activeContext());
    const links = ambient && isSpanContextValid(ambient.spanContext()) ? [ambient] : [];
    return { parent: telemetry.extract(readMeta(frame.params)), links };
  }

  /** Ends its span before the handler runs: what the handler does is caused by the notification, not part of it. */
  #notified(frame: NotificationFrame): Context {
    const { operations } = this;
    const operation = operations.start('server', frame.method, undefined, frame.params, this.#received(frame));
    if (frame.method === LIST_CHANGED) {
      this.discovery.signal();
      operations.finish(operation, { kind: 'ok' }, this.#signal(false));
      return operation.context;
    }
    operations.finish(operation, { kind: 'ok' });
    if (frame.method === 'notifications/subscriptions/acknowledged') {
      const listen = this.#subscriptions.acknowledged(frame.params);
      if (listen) operations.finish(listen, { kind: 'ok' });
    }
    // A server that shuts down on stdio ends its listen streams this way.
    const id = frame.method === 'notifications/cancelled' ? frame.params?.requestId : undefined;
    if (isRequestId(id)) {
      this.#subscriptions.ended(id);
      this.operations.abandon('server', id, frame.params?.reason);
    }
    return operation.context;
  }

  #signal(malformed: boolean): Sighting {
    const { handshake, initialized } = this.connection;
    return {
      kind: 'signal',
      malformed,
      early: handshake?.era !== 'modern' && !initialized,
      ...(handshake && { advertised: handshake.listChanged }),
    };
  }

  /** A `list_changed` frame that the SDK rejected before anybody could handle it. */
  malformedSignal(): void {
    this.discovery.signal();
    const operation = this.operations.start(
      'server',
      LIST_CHANGED,
      undefined,
      undefined,
      this.#received({ params: undefined }),
    );
    this.operations.finish(operation, { kind: 'ok' }, this.#signal(true));
  }

  #reply(frame: ReplyFrame): void {
    const operation = this.operations.find('client', frame.id);
    if (!operation) {
      this.#subscriptions.ended(frame.id);
      this.operations.late(frame.id);
      return;
    }
    const handshake = frame.kind === 'result' ? readHandshake(operation, frame.result) : undefined;
    if (handshake) {
      this.#shake(operation, handshake);
      return;
    }
    const ending = endingOf(frame, operation.method);
    this.operations.finish(operation, ending);
    this.#subscriptions.ended(frame.id);
    const traversal = this.#pages.get(operation);
    if (!traversal) return;
    if (frame.kind === 'result') this.discovery.page(traversal, frame.result);
    else this.#failPage(operation, ending);
  }

  #shake(operation: Operation, handshake: HandshakeSighting): void {
    const { connection } = this;
    connection.seeSession(this.#readSessionId());
    if (connection.handshake && operation.method === 'initialize') connection.renewEpoch('handshake_repeated');
    this.operations.finish(operation, { kind: 'ok' }, handshake);
    connection.shake(handshake);
  }

  close(cause: 'local' | 'remote' | 'exit'): void {
    if (this.connection.closed) return;
    this.#guarded(() => {
      const { connection } = this;
      const { telemetry } = connection.observer;
      const ending: Ending = { kind: 'failure', errorType: cause === 'exit' ? 'process_exit' : 'connection_closed' };
      for (const operation of this.operations.close(ending)) this.#failPage(operation, ending);
      this.discovery.close();
      connection.close(cause);
      const seconds = (readClock() - connection.openedMs) / 1000;
      const attributes = describeSession(connection.endpoint, connection.protocolVersion);
      telemetry.recordDuration('mcp.client.session.duration', seconds, attributes, telemetry.activeContext());
    });
  }

  #guarded<T>(body: () => T): T | undefined {
    return this.connection.observer.guard<T | undefined>(body, undefined);
  }
}

function readHandshake(operation: Operation, result: JsonObject): HandshakeSighting | undefined {
  if (operation.method === 'initialize') return readInitializeResult(result);
  if (operation.method !== 'server/discover') return undefined;
  return readDiscoverResult(result, readProtocolVersion(operation.params));
}

function failureOf(error: unknown): Ending {
  return { kind: 'failure', errorType: classifyError(error) };
}

/** How a reply ends its request. `isError` and `input_required` are results of particular methods only. */
function endingOf(frame: ReplyFrame, method?: string): Ending {
  if (frame.kind === 'error') return { kind: 'rpc_error', code: frame.code, description: frame.message };
  if (method === 'tools/call' && frame.result.isError === true) return { kind: 'tool_error' };
  if (frame.result.resultType === 'input_required') return { kind: 'input_required' };
  return { kind: 'ok' };
}
