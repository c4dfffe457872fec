// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * A Streamable HTTP server played by hand, both eras: POST answers by method, GET is the standing stream of a legacy
 * session (or 405), a POST of `subscriptions/listen` is the stream of a modern client. Tests break and forget at will.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Frame, Handler } from './scripted-peer.ts';

const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';

export class ScriptedHttpServer {
  readonly received: Frame[] = [];
  readonly handlers: Record<string, Handler>;
  /** Whether GET gives a stream or 405. */
  offersStream = true;
  /** Whether a listen is acknowledged with tools. */
  honoursTools = true;
  /** Current session id; requests with another one are answered 404. */
  session: string | undefined = 'session-1';
  readonly #server: Server;
  readonly #streams = new Map<ServerResponse, string | undefined>();

  constructor(handlers: Record<string, Handler> = {}, capabilities: unknown = { tools: { listChanged: true } }) {
    const info = { name: 'scripted-http', version: '1.0.0' };
    this.handlers = {
      initialize: (params) => ({ protocolVersion: params.protocolVersion, capabilities, serverInfo: info }),
      'server/discover': () => ({
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities,
        ttlMs: 0,
        cacheScope: 'private',
        _meta: { 'io.modelcontextprotocol/serverInfo': info },
      }),
      ...handlers,
    };
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error) => response.writeHead(500).end(String(error)));
    });
  }

  async listen(): Promise<URL> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`);
  }

  get streams(): number {
    return this.#streams.size;
  }

  notify(method: string): void {
    for (const [stream, subscription] of this.#streams) {
      const params = subscription === undefined ? {} : { params: { _meta: { [SUBSCRIPTION_ID]: subscription } } };
      write(stream, { jsonrpc: '2.0', method, ...params });
    }
  }

  dropStreams(): void {
    for (const stream of this.#streams.keys()) stream.destroy();
    this.#streams.clear();
  }

  async close(): Promise<void> {
    this.dropStreams();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'DELETE') return void response.writeHead(200).end();
    const session = request.headers['mcp-session-id'];
    if (session !== undefined && session !== this.session) return void response.writeHead(404).end('Session not found');
    if (request.method === 'GET') {
      if (request.headers['last-event-id'] === 'resume') return this.#resume(response);
      if (!this.offersStream) return void response.writeHead(405).end();
      this.#openStream(response, undefined);
      return;
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    const frame: Frame = JSON.parse(body);
    this.received.push(frame);
    if (frame.id === undefined || frame.method === undefined) return void response.writeHead(202).end();
    if (frame.method === 'subscriptions/listen') return this.#subscribe(frame, response);
    const answer = await this.handlers[frame.method]?.(frame.params ?? {}, frame);
    if (answer === undefined) return;
    const reply = 'rpcError' in answer ? { error: answer.rpcError } : { result: answer };
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (frame.method === 'initialize' && this.session) headers['mcp-session-id'] = this.session;
    response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id: frame.id, ...reply }));
  }

  #subscribe(frame: Frame, response: ServerResponse): void {
    const id = String(frame.id);
    this.#openStream(response, id);
    const asked = (frame.params?.notifications ?? {}) as Record<string, unknown>;
    const notifications = this.honoursTools ? asked : {};
    const params = { notifications, _meta: { [SUBSCRIPTION_ID]: id } };
    write(response, { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params });
  }

  /** A reply that was cut off earlier: under whatever id, since the SDK puts in the one it waits for. */
  #resume(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    write(response, { jsonrpc: '2.0', id: 'of-then', result: { content: [] } });
    response.end();
  }

  #openStream(response: ServerResponse, subscription: string | undefined): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.flushHeaders();
    this.#streams.set(response, subscription);
    response.on('close', () => this.#streams.delete(response));
  }
}

function write(stream: ServerResponse, frame: object): void {
  stream.write(`event: message\ndata: ${JSON.stringify(frame)}\n\n`);
}
