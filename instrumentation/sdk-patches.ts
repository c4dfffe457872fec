// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What is patched in an official SDK, v1 and v2 alike, on the prototypes found in a loaded module: where a transport gets
 * into use, what a list or tool call is the origin of, when a request's timer runs out, and how the standing GET stream of
 * Streamable HTTP fares. Members that a version lacks are left out. Returns how to undo it.
 */

import type { CallChain } from './async-context.ts';
import { isObject } from './json-rpc.ts';
import type { Observer } from './observer.ts';
import { applyPatch, type Method, whenSettled } from './patch.ts';
import { findTap, type Tap, wireOf } from './shared-state.ts';
import { watchFrames } from './stdio-frames.ts';
import { kindOf } from './transport-kind.ts';
import { attachTap } from './transport-tap.ts';
import type { ListCall } from './traversals.ts';
import type { Wire } from './wire.ts';

/** Exports of an SDK module by name, as far as they are classes. */
export type SdkExports = Readonly<Record<string, unknown>>;

const TRANSPORTS = [
  'StdioClientTransport',
  'SSEClientTransport',
  'StreamableHTTPClientTransport',
  'WebSocketClientTransport',
];

export function patchSdk(observer: Observer, exports: SdkExports): () => void {
  const undo: ((() => void) | undefined)[] = [];
  const patch = (className: string, method: string, wrap: (original: Method) => Method) => {
    const prototype: unknown = (exports[className] as { prototype?: unknown } | undefined)?.prototype;
    if (typeof prototype === 'object' && prototype !== null) undo.push(applyPatch(prototype, method, wrap));
  };
  patch('Client', 'connect', (original) => patchConnect(observer, original));
  patch('Client', 'listTools', (original) => patchListTools(observer, original));
  patch('Client', 'callTool', (original) => patchCallTool(observer, original));
  patch('Client', '_setupTimeout', (original) => patchTimeout(observer, original));
  for (const transport of TRANSPORTS) patch(transport, 'start', (original) => patchStart(observer, original));
  patch('Client', '_resetTimeout', (original) => patchResetTimeout(observer, original));
  patch('SSEClientTransport', '_startOrAuth', (original) => patchEventSource(observer, original));
  patch('StdioClientTransport', '_dispose', (original) => patchDispose(original));
  patch('StreamableHTTPClientTransport', '_startOrAuthSse', (original) => patchOpenStream(observer, original));
  patch('StreamableHTTPClientTransport', '_handleSseStream', (original) => patchHandleStream(observer, original));
  patch('StreamableHTTPClientTransport', '_scheduleReconnection', (original) => patchReconnect(observer, original));
  return () => {
    for (const restore of undo.reverse()) restore?.();
  };
}

function patchConnect(observer: Observer, original: Method): Method {
  return function connect(this: unknown, ...args: unknown[]) {
    const [transport] = args;
    observer.guard(() => attachTap(observer, transport, this as object), undefined);
    if (typeof transport !== 'object' || transport === null) return Reflect.apply(original, this, args);
    return observer.chains.run({ connecting: transport }, () => Reflect.apply(original, this, args));
  };
}

/** Here too, and not in `connect` alone: SDK v2 probes stdio servers on a second transport that no client connects. */
function patchStart(observer: Observer, original: Method): Method {
  return function start(this: object, ...args: unknown[]) {
    if (observer.guard(() => carries(observer, this), false)) return Reflect.apply(original, this, args);
    let opens = false;
    const tap = observer.guard<Tap | undefined>(() => {
      const attached = attachTap(observer, this);
      if (attached) {
        opens = attached.wire === undefined;
        attached.open();
        watchFrames(this, () => attached.wire?.inbound.malformedSignal());
      }
      return attached;
    }, undefined);
    const started: unknown = Reflect.apply(original, this, args);
    // A transport that cannot start, for one because its command does not exist, never says that it closed.
    return whenSettled(started, (outcome) => {
      // A second start that is refused ends nothing.
      if ('error' in outcome && opens) tap?.close('remote');
    });
  };
}

/** A transport started inside the start of a host's own wrapper carries messages that are seen at the wrapper already. */
function carries(observer: Observer, transport: object): boolean {
  const { connecting } = observer.chains.get();
  return connecting !== undefined && connecting !== transport && kindOf(connecting) === 'custom';
}

/** Makes a new EventSource at each start, and another one after it had to authorise. */
function patchEventSource(observer: Observer, original: Method): Method {
  return function _startOrAuth(this: object, ...args: unknown[]) {
    const started: unknown = Reflect.apply(original, this, args);
    observer.guard(() => {
      const tap = findTap(this);
      if (tap) watchEventSource(this, tap);
    }, undefined);
    return started;
  };
}

/** `SSEClientTransport` reconnects inside its EventSource; between an error and the next open no signal can arrive. */
/** A registered symbol, since two copies of this package may look at one source. */
const WATCHED = Symbol.for('mcp-convergence.watched');

function isWatched(source: object): boolean {
  if (WATCHED in source) return true;
  Object.defineProperty(source, WATCHED, { value: true });
  return false;
}

function watchEventSource(transport: object, tap: Tap): void {
  const source: unknown = Reflect.get(transport, '_eventSource');
  if (!(source instanceof EventTarget) || isWatched(source)) return;
  source.addEventListener('error', () => tap.wire?.connection.cover('sse', 'closed'));
  source.addEventListener('open', () => {
    const connection = tap.wire?.connection;
    if (connection?.handshake) connection.cover('sse', 'opened');
  });
}

function patchListTools(observer: Observer, original: Method): Method {
  return function listTools(this: object, ...args: unknown[]) {
    const wire = observer.guard(() => wireOf(this), undefined);
    if (!wire) return Reflect.apply(original, this, args);
    const call: ListCall = { requests: 0 };
    const listed: unknown = observer.chains.run({ listCall: call }, () => Reflect.apply(original, this, args));
    return whenSettled(listed, (outcome) => {
      observer.guard(() => {
        if ('error' in outcome) wire.discovery.deliveryFailed(call, outcome.error);
        else if (isObject(outcome.value)) wire.discovery.delivered(call, outcome.value, hasTools(wire));
      }, undefined);
    });
  };
}

function hasTools(wire: Wire): boolean {
  return wire.connection.handshake?.tools !== false;
}

/** SDK v2 may list behind the caller's back, to find out about headers; such a list is nobody's discovery. */
function patchCallTool(observer: Observer, original: Method): Method {
  return function callTool(this: unknown, ...args: unknown[]) {
    return observer.chains.run({ insideToolCall: true }, () => Reflect.apply(original, this, args));
  };
}

/** Both SDKs cancel a request whose time is up exactly as they cancel one that the app gave up. */
function patchTimeout(observer: Observer, original: Method): Method {
  return function _setupTimeout(this: unknown, ...args: unknown[]) {
    const [messageId, timeout, maxTotalTimeout, onTimeout, ...rest] = args;
    if (typeof onTimeout !== 'function' || typeof messageId !== 'number') return Reflect.apply(original, this, args);
    const timedOut = () => {
      observer.guard(() => wireOf(this)?.operations.timedOut(messageId), undefined);
      return Reflect.apply(onTimeout, undefined, []);
    };
    return Reflect.apply(original, this, [messageId, timeout, maxTotalTimeout, timedOut, ...rest]);
  };
}

/** Throws when the total time of a request is up; the SDK then rejects it without a cancellation. */
function patchResetTimeout(observer: Observer, original: Method): Method {
  return function _resetTimeout(this: unknown, ...args: unknown[]) {
    try {
      return Reflect.apply(original, this, args);
    } catch (error) {
      observer.guard(() => {
        const [messageId] = args;
        const wire = wireOf(this);
        if (!wire || typeof messageId !== 'number') return;
        wire.operations.timedOut(messageId);
        wire.giveUp(messageId, undefined);
      }, undefined);
      throw error;
    }
  };
}

/** How SDK v2 gets rid of the process that it probed; nobody listens for its close. */
function patchDispose(original: Method): Method {
  return function _dispose(this: object, ...args: unknown[]) {
    return whenSettled(Reflect.apply(original, this, args), () => findTap(this)?.close('local'));
  };
}

interface StreamOptions {
  readonly resumptionToken?: unknown;
  readonly replayMessageId?: unknown;
}

const STANDING: CallChain = { standingStream: true };
const ANSWERING: CallChain = { standingStream: false };

/** Opens the standing stream when nothing is to be resumed; an answer of 405 makes it return without a stream. */
function patchOpenStream(observer: Observer, original: Method): Method {
  return function _startOrAuthSse(this: object, ...args: unknown[]) {
    const options = (isObject(args[0]) ? args[0] : {}) as StreamOptions;
    const standing = options.resumptionToken === undefined || observer.chains.get().standingStream === true;
    if (!standing || options.replayMessageId !== undefined) return Reflect.apply(original, this, args);
    const wire = observer.guard(() => wireOf(this), undefined);
    const opening: unknown = observer.chains.run(STANDING, () => Reflect.apply(original, this, args));
    return whenSettled(opening, (outcome) => {
      observer.guard(() => {
        if (wire && 'value' in outcome && !wire.connection.covers('get_stream')) wire.connection.refuse('get_stream');
      }, undefined);
    });
  };
}

/** Runs for the standing stream and for streams that answer a POST; the call chain tells which. */
function patchHandleStream(observer: Observer, original: Method): Method {
  return function _handleSseStream(this: object, ...args: unknown[]) {
    const [stream, , reconnectable] = args;
    const standing = observer.chains.get().standingStream === true && reconnectable === true;
    if (standing && stream) observer.guard(() => wireOf(this)?.connection.cover('get_stream', 'opened'), undefined);
    if (standing || observer.chains.get().standingStream !== true) return Reflect.apply(original, this, args);
    return observer.chains.run(ANSWERING, () => Reflect.apply(original, this, args));
  };
}

/** Called when a stream broke, before the wait for the next attempt, and once more when attempts are used up. */
function patchReconnect(observer: Observer, original: Method): Method {
  return function _scheduleReconnection(this: object, ...args: unknown[]) {
    if (observer.chains.get().standingStream === true) {
      observer.guard(() => wireOf(this)?.connection.cover('get_stream', 'closed'), undefined);
    }
    return Reflect.apply(original, this, args);
  };
}
