// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, beforeEach, describe, it } from 'node:test';
import { WebSocketServer } from 'ws';
import { observeSdks, until } from '../support/observed-sdks.ts';
import { pages, tool } from '../support/scripted-peer.ts';
import { ScriptedSseServer } from '../support/scripted-sse-server.ts';

const sdks = await observeSdks();
const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js');
const { WebSocketClientTransport } = await import('@modelcontextprotocol/sdk/client/websocket.js');

after(() => sdks.instrumentation.disable());
beforeEach(() => sdks.reset());

const coverage = () => sdks.of('coverage').map(({ channel, state }) => `${channel} ${state}`);

describe('the old HTTP+SSE transport', () => {
  for (const major of ['v1', 'v2'] as const) {
    it(`is seen whole, and between a broken stream and the next one there is no window, with SDK ${major}`, async () => {
      const server = new ScriptedSseServer({ 'tools/list': pages([tool('a')]) });
      const url = await server.listen();
      const client = new sdks[major].Client({ name: 'app', version: '1' });
      const Transport = major === 'v1' ? SSEClientTransport : sdks.v2.SSEClientTransport;
      await client.connect(new Transport(url) as never);
      await client.listTools();
      server.say({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      await until(() => sdks.of('signal').length === 1, 'the signal');
      assert.deepEqual(coverage(), ['sse opened']);
      assert.equal(sdks.of('connection_opened')[0]?.transport, 'sse');
      assert.equal(sdks.of('traversal')[0]?.outcome, 'complete');
      server.dropStreams();
      await until(() => coverage().length === 3, 'the next stream');
      assert.deepEqual(coverage(), ['sse opened', 'sse closed', 'sse opened']);
      await client.close();
      await server.close();
    });
  }
});

describe('the WebSocket transport of SDK v1', () => {
  it('is seen whole', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'mcp' });
    await new Promise((resolve) => server.on('listening', resolve));
    server.on('connection', (socket) => {
      socket.on('message', (data) => {
        const { id, method, params } = JSON.parse(String(data));
        const say = (frame: object) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...frame }));
        const capabilities = { tools: { listChanged: true } };
        const serverInfo = { name: 'ws', version: '1' };
        if (method === 'initialize')
          say({ id, result: { protocolVersion: params.protocolVersion, capabilities, serverInfo } });
        if (method === 'notifications/initialized') say({ method: 'notifications/tools/list_changed' });
        if (method === 'tools/list') say({ id, result: { tools: [tool('a')] } });
      });
    });
    const url = new URL(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const client = new sdks.v1.Client({ name: 'app', version: '1' });
    await client.connect(new WebSocketClientTransport(url));
    await client.listTools();
    await client.close();
    assert.equal(sdks.of('connection_opened')[0]?.transport, 'websocket');
    assert.equal(sdks.spans('tools/list')[0]?.attributes['network.protocol.name'], 'websocket');
    assert.equal(sdks.spans('tools/list')[0]?.attributes['server.port'], Number(url.port));
    assert.deepEqual(coverage(), ['socket opened']);
    assert.equal(sdks.of('signal').length, 1);
    await new Promise((resolve) => server.close(resolve));
  });
});
