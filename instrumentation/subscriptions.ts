// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The `subscriptions/listen` streams of a modern connection: the only channel on which its signals can arrive, from the
 * acknowledgement that names tools to whatever ends the stream (MCP 2026-07-28, subscriptions).
 */

import type { Connection } from './connection.ts';
import { isObject, isRequestId, type JsonObject, type RequestId, readMeta } from './json-rpc.ts';
import type { Operation } from './operations.ts';

const SUBSCRIPTION_ID_META_KEY = 'io.modelcontextprotocol/subscriptionId';

/** Calls the host's own callback whatever happens to ours. */
interface StreamOptions {
  readonly onRequestStreamEnd?: () => void;
}

interface Listen {
  readonly operation: Operation;
  /** The server acknowledged it, and will tell of tools. */
  tools: boolean;
}

export class Subscriptions {
  readonly #connection: Connection;
  readonly #listens = new Map<RequestId, Listen>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** A listen request goes out. Returns the send options with which the end of its stream is seen as well. */
  opening(id: RequestId, operation: Operation, options: unknown): unknown {
    this.#listens.set(id, { operation, tools: false });
    const { onRequestStreamEnd } = (options ?? {}) as StreamOptions;
    if (!onRequestStreamEnd) return options;
    const seen = () => {
      this.#connection.observer.guard(() => this.ended(id), undefined);
      onRequestStreamEnd();
    };
    return { ...(options as StreamOptions), onRequestStreamEnd: seen };
  }

  /** Returns the request that is answered by this acknowledgement; the stream itself may live on for hours. */
  acknowledged(params: JsonObject | undefined): Operation | undefined {
    const id = readMeta(params)?.[SUBSCRIPTION_ID_META_KEY];
    const listen = isRequestId(id) ? this.#listens.get(id) : undefined;
    if (!listen) return undefined;
    listen.tools = wantsTools(params);
    if (listen.tools) this.#connection.cover('listen', 'opened');
    else if (wantsTools(listen.operation.params) && !this.#anyTools()) this.#connection.refuse('listen');
    return listen.operation;
  }

  #anyTools(): boolean {
    return [...this.#listens.values()].some(({ tools }) => tools);
  }

  /** By a result, a cancellation from either side, or a broken stream. Other ids change nothing. */
  ended(id: RequestId): void {
    const listen = this.#listens.get(id);
    if (!listen) return;
    this.#listens.delete(id);
    if (listen.tools && !this.#anyTools()) this.#connection.cover('listen', 'closed');
  }
}

/** The filter of a request and of its acknowledgement have the same shape. */
function wantsTools(params: JsonObject | undefined): boolean {
  const filter = params?.notifications;
  return isObject(filter) && filter.toolsListChanged === true;
}
