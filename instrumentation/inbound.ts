// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What the client receives, frame by frame: replies to its requests, requests and notifications of the server. Each gets its
 * span before the SDK sees it, and what the SDK does with it runs in the context that it belongs to.
 */

import { type Context, isSpanContextValid, type Span } from '@opentelemetry/api';
import { OF_THE_PEER } from './async-context.ts';
import type { Sighting } from './connection.ts';
import { endingOf } from './describe-operation.ts';
import { type HandshakeSighting, readDiscoverResult, readInitializeResult } from './handshake.ts';
import {
  isRequestId,
  type JsonObject,
  LIST_CHANGED,
  type NotificationFrame,
  type ReplyFrame,
  readFrame,
  readMeta,
  readProtocolVersion,
} from './json-rpc.ts';
import type { Operation } from './operations.ts';
import type { Wire } from './wire.ts';

export class Inbound {
  readonly #wire: Wire;
  readonly #readSessionId: () => string | undefined;

  constructor(wire: Wire, readSessionId: () => string | undefined) {
    this.#wire = wire;
    this.#readSessionId = readSessionId;
  }

  /** Observes `message`, then lets `dispatch` hand it to the SDK, whose result is returned. */
  receive(message: unknown, dispatch: () => unknown): unknown {
    const { connection, operations } = this.#wire;
    const { chains, telemetry } = connection.observer;
    const frame = readFrame(message);
    switch (frame?.kind) {
      case 'result':
      case 'error':
        this.#guarded(() => this.#reply(frame));
        return dispatch();
      case 'request': {
        const { id, method, params } = frame;
        const operation = this.#guarded(() => operations.start('server', method, id, params, this.#origin(params)));
        const handle = () => (operation ? telemetry.run(operation.context, dispatch) : dispatch());
        return chains.run(OF_THE_PEER, handle);
      }
      case 'notification': {
        const sequence = connection.nextSequence;
        const active = this.#guarded(() => this.#notified(frame));
        const handle = () => (active ? telemetry.run(active, dispatch) : dispatch());
        if (!active || frame.method !== LIST_CHANGED) return chains.run(OF_THE_PEER, handle);
        // What the handler starts, a debounced refresh included, inherits both contexts and so is tied to the signal.
        const signal = { connectionId: connection.id, sequence };
        return chains.run({ ...OF_THE_PEER, signal }, handle);
      }
      default:
        return dispatch();
    }
  }

  /** A `list_changed` frame that the SDK rejected before anybody could handle it. */
  malformedSignal(): void {
    this.#signalled(undefined, true);
  }

  /** Remote parent from the message, link to whatever happened to be active (conventions, server spans). */
  #origin(params: JsonObject | undefined): { parent: Context; links: readonly Span[] } {
    const { telemetry } = this.#wire.connection.observer;
    const ambient = telemetry.spanOf(telemetry.activeContext());
    const links = ambient && isSpanContextValid(ambient.spanContext()) ? [ambient] : [];
    return { parent: telemetry.extract(readMeta(params)), links };
  }

  /** Ends its span before the handler runs: what the handler does is caused by the notification, not part of it. */
  #notified(frame: NotificationFrame): Context {
    const { operations, subscriptions } = this.#wire;
    const { method, params } = frame;
    if (method === LIST_CHANGED) return this.#signalled(params, false);
    const operation = operations.start('server', method, undefined, params, this.#origin(params));
    operations.finish(operation, { kind: 'ok' });
    if (method === 'notifications/subscriptions/acknowledged') {
      const listen = subscriptions.acknowledged(params);
      if (listen) operations.finish(listen, { kind: 'ok' });
    }
    const cancelled = method === 'notifications/cancelled' ? params?.requestId : undefined;
    if (isRequestId(cancelled)) {
      // A server that shuts down on stdio ends its listen streams this way.
      subscriptions.ended(cancelled);
      operations.abandon('server', cancelled, params?.reason);
    }
    return operation.context;
  }

  #signalled(params: JsonObject | undefined, malformed: boolean): Context {
    const { connection, discovery, operations } = this.#wire;
    const { handshake, initialized } = connection;
    const sighting: Sighting = {
      kind: 'signal',
      malformed,
      early: handshake?.era !== 'modern' && !initialized,
      ...(handshake && { advertised: handshake.listChanged }),
    };
    discovery.signal();
    const operation = operations.start('server', LIST_CHANGED, undefined, params, this.#origin(params));
    operations.finish(operation, { kind: 'ok' }, sighting);
    return operation.context;
  }

  #reply(frame: ReplyFrame): void {
    const { discovery, operations, pages, subscriptions } = this.#wire;
    subscriptions.ended(frame.id);
    const operation = operations.find('client', frame.id);
    if (!operation) {
      operations.late(frame.id);
      return;
    }
    operations.answered(frame.id);
    const handshake = frame.kind === 'result' ? readHandshake(operation, frame.result) : undefined;
    if (handshake) {
      this.#shake(operation, handshake);
      return;
    }
    const ending = endingOf(frame, operation.method);
    operations.finish(operation, ending);
    const traversal = pages.get(operation);
    if (!traversal) return;
    if (frame.kind === 'result') discovery.page(traversal, frame.result);
    else this.#wire.failPage(operation, ending);
  }

  #shake(operation: Operation, handshake: HandshakeSighting): void {
    const { connection, operations } = this.#wire;
    connection.seeSession(this.#readSessionId());
    // After a discover that found no common version `initialize` is still the first handshake.
    const again = connection.handshake?.method === 'initialize' && operation.method === 'initialize';
    if (again) connection.renewEpoch('handshake_repeated');
    operations.finish(operation, { kind: 'ok' }, handshake);
    connection.shake(handshake);
  }

  #guarded<T>(body: () => T): T | undefined {
    return this.#wire.connection.observer.guard<T | undefined>(body, undefined);
  }
}

function readHandshake(operation: Operation, result: JsonObject): HandshakeSighting | undefined {
  if (operation.method === 'initialize') return readInitializeResult(result);
  if (operation.method !== 'server/discover') return undefined;
  return readDiscoverResult(result, readProtocolVersion(operation.params));
}
