// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What an async call chain is part of, as far as tying wire traffic to it goes: a `listTools` call, a `callTool` call,
 * the handling of a signal, the standing GET stream. Kept apart from OpenTelemetry's context, which is a no-op in an
 * app that registers no context manager.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { ListCall } from './traversals.ts';

export interface CallChain {
  readonly listCall?: ListCall | undefined;
  readonly insideToolCall?: boolean;
  /** Sequence number of the signal whose handler runs, and the connection that received it. */
  readonly signal?: { readonly connectionId: string; readonly sequence: number };
  /** The stream that the transport opened for server messages, as against one that answers a request. */
  readonly standingStream?: boolean;
  /** The transport that a client is being connected to. */
  readonly connecting?: object;
}

/** What the peer starts by a message of its own is part of no call of ours, although it may arrive on the stream of one. */
export const OF_THE_PEER: CallChain = { listCall: undefined, insideToolCall: false };

export class AsyncContext {
  readonly #storage = new AsyncLocalStorage<CallChain>();

  get(): CallChain {
    return this.#storage.getStore() ?? {};
  }

  /** Runs `body` with `more` added to whatever chain is active. */
  run<T>(more: CallChain, body: () => T): T {
    return this.#storage.run({ ...this.get(), ...more }, body);
  }
}
