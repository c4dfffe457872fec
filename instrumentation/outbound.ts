// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What the client sends, frame by frame: requests, notifications, answers. Reads messages, never changes them; the one thing
 * added, trace context, goes onto a copy.
 */

import type { Context } from '@opentelemetry/api';
import { type Ending, endingOf, failureOf } from './describe-operation.ts';
import {
  isRequestId,
  type JsonObject,
  type NotificationFrame,
  type RequestFrame,
  readFrame,
  readMeta,
  readProtocolVersion,
} from './json-rpc.ts';
import type { Operation } from './operations.ts';
import type { Wire } from './wire.ts';

/** Requests that do the caller's work, as against protocol upkeep. */
const CALL_METHODS = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Options of `transport.send` that matter here; everything is handed on as it is. */
interface SendOptions {
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

export class Outbound {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** What to send instead, and what to do when it was sent; undefined when the message is to go as it is. */
  send(message: unknown, options: unknown): Outgoing | undefined {
    const frame = readFrame(message);
    switch (frame?.kind) {
      case 'request':
        return this.#request(frame, message as JsonObject, options);
      case 'notification':
        return this.#notify(frame, message as JsonObject, options);
      case 'result':
      case 'error': {
        const { operations } = this.#wire;
        const asked = operations.find('server', frame.id);
        if (asked) operations.finish(asked, endingOf(frame));
        return undefined;
      }
      default:
        return undefined;
    }
  }

  #request(frame: RequestFrame, message: JsonObject, sendOptions: unknown): Outgoing {
    const { connection, discovery, operations, pages, subscriptions } = this.#wire;
    const { observer } = connection;
    connection.protocolVersion = readProtocolVersion(frame.params) ?? connection.protocolVersion;
    const active = observer.telemetry.activeContext();
    const page = frame.method === 'tools/list' ? discovery.request(frame.params, active) : undefined;
    const { resumptionToken, requestSignal } = (sendOptions ?? {}) as SendOptions;
    const operation = operations.start('client', frame.method, frame.id, frame.params, {
      parent: page?.context ?? active,
      resumed: resumptionToken !== undefined,
    });
    if (page) pages.set(operation, page.traversal);
    // Over modern HTTP a request is given up by closing its stream; no message says so.
    const { id } = frame;
    const giveUp = () => observer.guard(() => this.#wire.giveUp(id, undefined), undefined);
    requestSignal?.addEventListener('abort', giveUp, { once: true });
    const listens = frame.method === 'subscriptions/listen';
    return {
      message: this.#withTraceContext(message, frame, operation.context),
      options: listens ? subscriptions.opening(frame.id, operation, sendOptions) : sendOptions,
      context: operation.context,
      settled: (error) => {
        if (error !== undefined) this.#sendFailed(operation, failureOf(error));
      },
    };
  }

  #sendFailed(operation: Operation, ending: Ending): void {
    const { connection, operations, subscriptions } = this.#wire;
    operations.finish(operation, ending);
    this.#wire.failPage(operation, ending);
    if (operation.id !== undefined) subscriptions.ended(operation.id);
    // Servers answer 404 to a session they no longer know; neither SDK starts a new one by itself.
    const lost = ending.kind === 'failure' && ending.errorType === '404' && connection.sessionId !== undefined;
    if (lost) connection.renewEpoch('session_lost');
  }

  #notify(frame: NotificationFrame, message: JsonObject, options: unknown): Outgoing {
    const { connection, operations } = this.#wire;
    const active = connection.observer.telemetry.activeContext();
    const cancelled = frame.method === 'notifications/cancelled' ? frame.params?.requestId : undefined;
    if (isRequestId(cancelled)) this.#wire.giveUp(cancelled, frame.params?.reason);
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

  /** A copy with the trace context, or the message itself when there is nothing to add. */
  #withTraceContext(message: JsonObject, frame: RequestFrame | NotificationFrame, active: Context): JsonObject {
    const { config, telemetry } = this.#wire.connection.observer;
    if (config.propagation === 'off') return message;
    if (config.propagation === 'calls' && !CALL_METHODS.has(frame.method)) return message;
    // Params of another shape than an object are the app's business.
    if (message.params !== undefined && frame.params === undefined) return message;
    const carrier = telemetry.inject(active);
    if (Object.keys(carrier).length === 0) return message;
    return { ...message, params: { ...frame.params, _meta: { ...carrier, ...readMeta(frame.params) } } };
  }
}
