// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The little that all copies of this package in a process must agree on (ESM beside CommonJS, or two versions): which
 * transport or client is listened in on by which tap, and who observes. Hangs off a registered symbol on the global
 * object; holds transports and clients weakly.
 */

import type { Observer } from './observer.ts';
import type { Wire } from './wire.ts';

/** What one copy of the package may ask of a tap that another copy attached. */
export interface Tap {
  /** The live connection, or undefined before the first message and after the close. */
  readonly wire: Wire | undefined;
  bind(client: object): void;
  open(): Wire;
  close(cause: 'local' | 'remote' | 'exit'): void;
}

interface SharedState {
  readonly taps: WeakMap<object, Tap>;
  /** Of the instrumentation that was enabled last, or one made for `instrumentTransport` alone. */
  observer: Observer | undefined;
  /** How many observed `send` calls are on the stack right now. */
  sending: number;
}

const STATE = Symbol.for('mcp-convergence.state.1');

export function sharedState(): SharedState {
  const holder = globalThis as { [STATE]?: SharedState };
  if (!holder[STATE]) {
    const state: SharedState = { taps: new WeakMap(), observer: undefined, sending: 0 };
    Object.defineProperty(globalThis, STATE, { value: state });
  }
  return holder[STATE] as SharedState;
}

export function findTap(transportOrClient: object): Tap | undefined {
  return sharedState().taps.get(transportOrClient);
}

/** The live wire of a client or transport, by whatever object the SDK method runs on. */
export function wireOf(self: unknown): Wire | undefined {
  if (typeof self !== 'object' || self === null) return undefined;
  const direct = findTap(self);
  if (direct?.wire) return direct.wire;
  // A host may hand out a Proxy of its client; the transport behind it is the same object.
  const transport: unknown = Reflect.get(self, 'transport');
  return typeof transport === 'object' && transport !== null ? findTap(transport)?.wire : undefined;
}
