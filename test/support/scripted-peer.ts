// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The server end of a linked in-memory pair, played by hand: answers by method, says whatever a test wants said. */

export interface Frame {
  readonly jsonrpc: '2.0';
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { code: number; message: string };
}

interface PeerTransport {
  onmessage?: ((message: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  start(): Promise<void>;
  send(message: never): Promise<void>;
  close(): Promise<void>;
}

/** Result, error, or nothing at all. */
export type Answer = Record<string, unknown> | { readonly rpcError: { code: number; message: string } } | undefined;
export type Handler = (params: Record<string, unknown>, frame: Frame) => Answer | Promise<Answer>;

export function tool(name: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { name, description: `does ${name}`, inputSchema: { type: 'object', properties: {} }, ...more };
}

/** Answers `tools/list` with the pages given, chained by the cursors `2`, `3`, ... */
export function pages(...list: Record<string, unknown>[][]): Handler {
  return (params) => {
    const index = params.cursor === undefined ? 0 : Number(params.cursor) - 1;
    const more = index + 1 < list.length ? { nextCursor: String(index + 2) } : {};
    return { tools: list[index] ?? [], ...more };
  };
}

export class ScriptedPeer {
  readonly received: Frame[] = [];
  readonly handlers: Record<string, Handler>;
  readonly #transport: PeerTransport;

  constructor(
    transport: PeerTransport,
    handlers: Record<string, Handler> = {},
    capabilities: unknown = { tools: { listChanged: true } },
  ) {
    this.#transport = transport;
    this.handlers = {
      initialize: (params) => ({
        protocolVersion: params.protocolVersion ?? '2025-11-25',
        capabilities,
        serverInfo: { name: 'scripted', version: '1.0.0' },
      }),
      ...handlers,
    };
    transport.onmessage = ((frame: Frame) => this.#receive(frame)) as never;
  }

  async start(): Promise<void> {
    await this.#transport.start();
  }

  async #receive(frame: Frame): Promise<void> {
    this.received.push(frame);
    if (frame.method === undefined || frame.id === undefined) return;
    const answer = await this.handlers[frame.method]?.(frame.params ?? {}, frame);
    if (answer === undefined) return;
    await this.say(
      'rpcError' in answer
        ? { jsonrpc: '2.0', id: frame.id, error: answer.rpcError as { code: number; message: string } }
        : { jsonrpc: '2.0', id: frame.id, result: answer },
    );
  }

  async say(frame: Frame): Promise<void> {
    await this.#transport.send(frame as never);
  }

  async notify(method: string, params?: Record<string, unknown>): Promise<void> {
    await this.say({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }
}
