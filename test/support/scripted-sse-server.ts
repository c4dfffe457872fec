// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** A server of the old HTTP+SSE transport (MCP 2024-11-05) played by hand: one stream for everything, POST to speak. */

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Frame, Handler } from './scripted-peer.ts';

export class ScriptedSseServer {
  readonly handlers: Record<string, Handler>;
  readonly #server: Server;
  readonly #streams = new Set<ServerResponse>();

  constructor(handlers: Record<string, Handler> = {}) {
    this.handlers = {
      initialize: (params) => ({
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'scripted-sse', version: '1.0.0' },
      }),
      ...handlers,
    };
    this.#server = createServer(async (request, response) => {
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        this.#streams.add(response);
        response.on('close', () => this.#streams.delete(response));
        response.write('retry: 20\nevent: endpoint\ndata: /message\n\n');
        return;
      }
      let body = '';
      for await (const chunk of request) body += chunk;
      response.writeHead(202).end();
      const frame: Frame = JSON.parse(body);
      const answer =
        frame.method === undefined ? undefined : await this.handlers[frame.method]?.(frame.params ?? {}, frame);
      if (answer !== undefined && frame.id !== undefined) this.say({ jsonrpc: '2.0', id: frame.id, result: answer });
    });
  }

  async listen(): Promise<URL> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/sse`);
  }

  say(frame: object): void {
    for (const stream of this.#streams) stream.write(`event: message\ndata: ${JSON.stringify(frame)}\n\n`);
  }

  dropStreams(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
