// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Listens in on one transport object: `send` behind a Proxy, `onmessage` and `onclose` behind accessors, `close` to know
 * who closed. Every argument, result, error and handler identity the host sees stays what it was. Attached once per
 * transport object, and found again by it or by its client, also from another copy of this package.
 */

import { Connection } from './connection.ts';
import { type NegotiatedClient, readNegotiated } from './handshake.ts';
import { isObject } from './json-rpc.ts';
import type { Observer } from './observer.ts';
import { applyPatch, type Method, whenSettled } from './patch.ts';
import { findTap, sharedState, type Tap } from './shared-state.ts';
import { describeEndpoint, kindOf } from './transport-kind.ts';
import { Wire } from './wire.ts';

type Handler = Method | undefined | null;

const HANDSHAKES: ReadonlySet<unknown> = new Set(['initialize', 'server/discover']);

/** Stands in for a rejection without a reason. */
const SEND_FAILED = new Error('send failed');

export class TransportTap implements Tap {
  readonly observer: Observer;
  readonly #transport: object;
  #client: NegotiatedClient | undefined;
  #wire: Wire | undefined;
  #previous: Connection | undefined;
  #closing = false;
  readonly #dispatching = new Set<unknown>();
  readonly #sent = new WeakSet<object>();

  constructor(observer: Observer, transport: object) {
    this.observer = observer;
    this.#transport = transport;
    applyPatch(transport, 'send', (original) => this.#send(original));
    applyPatch(transport, 'close', (original) => this.#close(original));
    interceptHandler(transport, 'onmessage', (handler) => this.#onmessage(handler));
    interceptHandler(transport, 'onclose', (handler) => this.#onclose(handler));
  }

  /** The client that uses the transport, so that reports find it and its earlier connection is known. */
  bind(client: object): void {
    this.#client = client as NegotiatedClient;
    const earlier = findTap(client);
    if (earlier instanceof TransportTap && earlier !== this) this.#previous ??= earlier.connection;
    sharedState().taps.set(client, this);
  }

  get connection(): Connection | undefined {
    return this.#wire?.connection ?? this.#previous;
  }

  /** The live connection; a transport that is started or used again after its close gets a new one. */
  open(): Wire {
    const current = this.#wire;
    if (current && !current.connection.closed) return current;
    this.#closing = false;
    const transport = this.#transport;
    const previous = current?.connection ?? this.#previous;
    const connection = new Connection(this.observer, kindOf(transport), describeEndpoint(transport), previous);
    const readSessionId = () => {
      const sessionId: unknown = Reflect.get(transport, 'sessionId');
      return typeof sessionId === 'string' ? sessionId : undefined;
    };
    this.#wire = new Wire(connection, this.#client !== undefined, readSessionId);
    connection.seeSession(readSessionId());
    this.observer.opened(this.#wire);
    return this.#wire;
  }

  /**
   * The connection that a message belongs to. The first message opens one; after a close only a new handshake does, since
   * HTTP transports still let a stray cancellation or reply through.
   */
  #wireFor(message: unknown): Wire | undefined {
    const opens = this.#wire === undefined || (isObject(message) && HANDSHAKES.has(message.method));
    return this.wire ?? (opens ? this.open() : undefined);
  }

  /** The live connection, or undefined before the first message and after the close. */
  get wire(): Wire | undefined {
    return this.#wire?.connection.closed ? undefined : this.#wire;
  }

  close(cause: 'local' | 'remote' | 'exit'): void {
    this.wire?.close(cause);
  }

  #send(original: Method): Method {
    const tap = this;
    return function send(this: unknown, ...args: unknown[]) {
      const [message, options] = args;
      // SDK v1 calls `this.send(message)` again after authorising: the same message, already seen.
      if (typeof message === 'object' && message !== null && tap.#sent.has(message))
        return Reflect.apply(original, this, args);
      const outgoing = tap.observer.guard(() => {
        const wire = tap.#wireFor(message);
        if (!wire) return undefined;
        tap.#adoptHandshake(wire, message);
        return wire.outbound.send(message, options);
      }, undefined);
      if (!outgoing) return Reflect.apply(original, this, args);
      if (isObject(outgoing.message)) tap.#sent.add(outgoing.message);
      const { settled } = outgoing;
      const forwarded = args.length > 1 ? [outgoing.message, outgoing.options, ...args.slice(2)] : [outgoing.message];
      const settle = (error?: unknown) => {
        // By then an authorisation that sends it again is over; a client may well send one constant object many times.
        if (isObject(outgoing.message)) tap.#sent.delete(outgoing.message);
        tap.observer.guard(() => settled(error), undefined);
      };
      let sent: unknown;
      sharedState().sending += 1;
      try {
        sent = tap.observer.telemetry.run(outgoing.context, () => Reflect.apply(original, this, forwarded));
      } catch (error) {
        settle(error ?? SEND_FAILED);
        throw error;
      } finally {
        sharedState().sending -= 1;
      }
      return whenSettled(sent, (outcome) => settle('error' in outcome ? (outcome.error ?? SEND_FAILED) : undefined));
    };
  }

  /** The close is known by `onclose`, except where nobody listens for it. */
  #close(original: Method): Method {
    const tap = this;
    return function close(this: unknown, ...args: unknown[]) {
      tap.#closing = true;
      return whenSettled(Reflect.apply(original, this, args), () => tap.close('local'));
    };
  }

  #adoptHandshake(wire: Wire, message: unknown): void {
    const { connection } = wire;
    if (connection.handshake || !this.#client || !isObject(message) || message.id === undefined) return;
    if (HANDSHAKES.has(message.method)) return;
    const negotiated = readNegotiated(this.#client);
    if (negotiated) connection.adopt(negotiated);
  }

  #onmessage(handler: Method): Method {
    const tap = this;
    return function onmessage(this: unknown, ...args: unknown[]) {
      const [message] = args;
      const dispatch = () => Reflect.apply(handler, this, args);
      // Handlers get chained, so one message may pass two of ours.
      if (tap.#dispatching.has(message)) return dispatch();
      const wire = tap.observer.guard(() => tap.#wireFor(message), undefined);
      if (!wire) return dispatch();
      tap.#dispatching.add(message);
      try {
        return wire.inbound.receive(message, dispatch);
      } finally {
        tap.#dispatching.delete(message);
      }
    };
  }

  #onclose(handler: Method): Method {
    const tap = this;
    return function onclose(this: unknown, ...args: unknown[]) {
      tap.close(tap.#closing ? 'local' : 'remote');
      return Reflect.apply(handler, this, args);
    };
  }
}

/**
 * Makes `target[name]` an accessor whose getter gives the wrapped handler, since the transport reads it to call it. A class
 * that has accessors of its own over private state keeps them: ours delegate. Skips objects that allow no new property.
 */
function interceptHandler(target: object, name: string, wrap: (handler: Method) => Method): void {
  const wrappers = new WeakMap<Method, Method>();
  const originals = new WeakMap<Method, Method>();
  const wrapped = (handler: Handler): Handler => {
    if (typeof handler !== 'function' || originals.has(handler)) return handler;
    const known = wrappers.get(handler);
    if (known) return known;
    const wrapper = wrap(handler);
    wrappers.set(handler, wrapper);
    originals.set(wrapper, handler);
    return wrapper;
  };
  const own = Object.getOwnPropertyDescriptor(target, name);
  if (own?.configurable === false || (!own && !Object.isExtensible(target))) return;
  const accessor = own?.set ? own : findAccessor(Object.getPrototypeOf(target), name);
  let current: Handler = accessor ? undefined : wrapped(Reflect.get(target, name));
  if (accessor) Reflect.set(target, name, wrapped(Reflect.get(target, name)));
  Object.defineProperty(target, name, {
    configurable: true,
    enumerable: own?.enumerable ?? true,
    get: () => (accessor?.get ? Reflect.apply(accessor.get, target, []) : current),
    set: (handler: Handler) => {
      if (accessor?.set) Reflect.apply(accessor.set, target, [wrapped(handler)]);
      else current = wrapped(handler);
    },
  });
}

function findAccessor(prototype: object | null, name: string): PropertyDescriptor | undefined {
  for (let holder = prototype; holder; holder = Object.getPrototypeOf(holder)) {
    const descriptor = Object.getOwnPropertyDescriptor(holder, name);
    if (descriptor) return descriptor.set ? descriptor : undefined;
  }
  return undefined;
}

/** The tap on `transport`, attached now if there was none. Undefined when `transport` cannot be one. */
export function attachTap(observer: Observer, transport: unknown, client?: object): Tap | undefined {
  if (typeof transport !== 'object' || transport === null || typeof Reflect.get(transport, 'send') !== 'function')
    return undefined;
  const known = findTap(transport);
  const tap = known ?? new TransportTap(observer, transport);
  if (!known) sharedState().taps.set(transport, tap);
  if (client) tap.bind(client);
  return tap;
}
