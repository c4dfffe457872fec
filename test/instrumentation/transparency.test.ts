// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** What the host may not notice: identities, arguments, errors, handlers, and the server end of an in-process pair. */

import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { SpanKind } from '@opentelemetry/api';
import { instrumentTransport, McpInstrumentation, reportInstalledRegistry } from '../../instrumentation/index.ts';
import { observeSdks, until } from '../support/observed-sdks.ts';
import { ScriptedHttpServer } from '../support/scripted-http-server.ts';
import { pages, ScriptedPeer, tool } from '../support/scripted-peer.ts';

const sdks = await observeSdks();
const { v1, v2 } = sdks;

after(() => sdks.instrumentation.disable());
beforeEach(() => sdks.reset());

/** A transport whose handlers live in private fields behind accessors of its class. */
class AccessorTransport {
  #onmessage: ((message: unknown, extra?: unknown) => void) | undefined;
  #onclose: (() => void) | undefined;
  readonly sent: unknown[] = [];
  set onmessage(handler: ((message: unknown, extra?: unknown) => void) | undefined) {
    this.#onmessage = handler;
  }
  get onmessage(): ((message: unknown, extra?: unknown) => void) | undefined {
    return this.#onmessage;
  }
  set onclose(handler: (() => void) | undefined) {
    this.#onclose = handler;
  }
  get onclose(): (() => void) | undefined {
    return this.#onclose;
  }
  async start(): Promise<void> {}
  async send(message: { id?: number; method?: string }): Promise<void> {
    this.sent.push(message);
    if (message.method !== 'initialize') return;
    const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } };
    queueMicrotask(() => this.#onmessage?.({ jsonrpc: '2.0', id: message.id, result }, { extra: true }));
  }
  async close(): Promise<void> {
    this.#onclose?.();
  }
}

describe('a transport', () => {
  it('with accessors of its own over private state keeps working', async () => {
    const transport = new AccessorTransport();
    const client = new v1.Client({ name: 'app', version: '1' });
    await client.connect(transport as never);
    await client.close();
    assert.deepEqual(
      sdks.observations.map((one) => one.kind),
      ['connection_opened', 'handshake', 'operation', 'connection_closed'],
    );
  });

  it('that is frozen is left alone', async () => {
    const transport = Object.freeze(new AccessorTransport());
    assert.equal(instrumentTransport(transport), transport);
    await transport.start();
    assert.deepEqual(sdks.observations, []);
  });

  it('keeps what a test double hung on its send', () => {
    const send = Object.assign(async () => {}, { mock: { calls: 3 } });
    const transport = { send, close: async () => {}, onmessage: undefined, onclose: undefined };
    instrumentTransport(transport);
    assert.equal((transport.send as typeof send).mock.calls, 3);
    assert.equal(transport.send.name, send.name);
  });

  it('gets every argument, and its handler exactly those that the transport passes', async () => {
    const seen: unknown[][] = [];
    const transport = {
      send: async (...args: unknown[]) => {
        seen.push(args);
      },
      close: async () => {},
      onmessage: undefined as ((...args: unknown[]) => void) | undefined,
      onclose: undefined,
    };
    instrumentTransport(transport);
    const send = transport.send as (...args: unknown[]) => Promise<void>;
    const options = { relatedRequestId: 1 };
    await send({ jsonrpc: '2.0', id: 1, method: 'ping' }, options, 'third');
    await send({ jsonrpc: '2.0', id: 2, method: 'ping' });
    assert.equal(seen[0]?.[1], options);
    assert.equal(seen[0]?.[2], 'third');
    assert.equal(seen[1]?.length, 1);
    const received: unknown[][] = [];
    transport.onmessage = (...args) => received.push(args);
    const message = { jsonrpc: '2.0', id: 1, result: {} };
    const extra = {};
    transport.onmessage(message, extra);
    assert.equal(received[0]?.[0], message);
    assert.equal(received[0]?.[1], extra);
    assert.equal(received[0]?.length, 2);
  });

  it('that fails to send fails with the very same error, thrown or rejected', async () => {
    const error = new Error('EPIPE');
    for (const send of [
      () => Promise.reject(error),
      () => {
        throw error;
      },
    ]) {
      const transport = instrumentTransport({ send, close: async () => {}, onmessage: undefined, onclose: undefined });
      const sending = async () =>
        (transport.send as (message: unknown) => Promise<void>)({ jsonrpc: '2.0', id: 1, method: 'ping' });
      await assert.rejects(sending, (thrown) => thrown === error);
    }
    assert.equal(sdks.of('operation').length, 2);
  });

  it('that sends the same message again after authorising is seen sending once', async () => {
    let attempts = 0;
    const transport = {
      async send(message: unknown): Promise<void> {
        attempts += 1;
        if (attempts === 1) return this.send(message);
      },
      close: async () => {},
      onmessage: undefined as unknown,
      onclose: undefined as unknown,
    };
    instrumentTransport(transport);
    await transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    assert.equal(attempts, 2);
    (transport.onmessage as undefined) ??= undefined;
    await transport.close();
    assert.equal(sdks.spans('ping').length, 1);
  });

  it('whose handlers are chained counts a message once', async () => {
    const [mine, theirs] = v1.InMemoryTransport.createLinkedPair();
    const peer = new ScriptedPeer(theirs as never);
    await peer.start();
    const early: unknown[] = [];
    instrumentTransport(mine);
    mine.onmessage = (message) => early.push(message);
    const client = new v1.Client({ name: 'app', version: '1' });
    await client.connect(mine);
    await peer.notify('notifications/tools/list_changed');
    assert.equal(early.length, 2, 'the handler set before is still called');
    assert.equal(sdks.of('handshake').length, 1);
    assert.equal(sdks.of('signal').length, 1);
    await client.close();
  });

  it('is seen once with two instrumentations in the process', async () => {
    const second = new McpInstrumentation();
    const [mine, theirs] = v1.InMemoryTransport.createLinkedPair();
    await new ScriptedPeer(theirs as never, { 'tools/list': pages([tool('a')]) }).start();
    const client = new v1.Client({ name: 'app', version: '1' });
    await client.connect(mine);
    await client.listTools();
    await client.close();
    second.disable();
    assert.equal(sdks.of('handshake').length, 1);
    assert.equal(sdks.of('delivered').length, 1);
  });
});

describe('a wrapper of the host around an SDK transport', () => {
  it('is seen once, and proves no channel for signals', async () => {
    const server = new ScriptedHttpServer({ 'tools/list': pages([tool('a')]) });
    server.offersStream = false;
    const inner = new v1.StreamableHTTPClientTransport(await server.listen());
    const wrapper = {
      start: () => inner.start(),
      send: (...args: unknown[]) => (inner.send as (...all: unknown[]) => Promise<void>)(...args),
      close: () => inner.close(),
      setProtocolVersion: (version: string) => inner.setProtocolVersion(version),
      onmessage: undefined as unknown,
      onclose: undefined as unknown,
      onerror: undefined as unknown,
    };
    inner.onmessage = (message) => (wrapper.onmessage as (message: unknown) => void)(message);
    inner.onclose = () => (wrapper.onclose as () => void)();
    const client = new v1.Client({ name: 'app', version: '1' });
    await client.connect(wrapper as never);
    await client.listTools();
    await client.close();
    await server.close();
    assert.deepEqual(
      sdks.of('connection_opened').map(({ transport }) => transport),
      ['custom'],
    );
    assert.equal(sdks.of('traversal').length, 1);
    assert.ok(sdks.of('delivered')[0]?.traversalId);
    assert.deepEqual(sdks.of('coverage'), []);
  });
});

describe('a call of the SDK that it refuses', () => {
  it('ends nothing: a second start, a second connect', async () => {
    const server = new ScriptedHttpServer({ 'tools/list': pages([tool('a')]) });
    const transport = new v1.StreamableHTTPClientTransport(await server.listen());
    const client = new v1.Client({ name: 'app', version: '1' });
    await client.connect(transport);
    await assert.rejects(transport.start());
    await assert.rejects(client.connect(v1.InMemoryTransport.createLinkedPair()[0]));
    const { tools } = await client.listTools();
    reportInstalledRegistry(client, { tools });
    assert.equal(sdks.of('traversal').length, 1);
    assert.equal(sdks.of('installed').length, 1);
    assert.deepEqual(sdks.of('connection_closed'), []);
    await client.close();
    await server.close();
  });
});

describe('a client that sends one constant object', () => {
  it('is seen each time', async () => {
    const transport = instrumentTransport({
      send: async (_: unknown) => {},
      close: async () => {},
      onmessage: undefined,
      onclose: undefined,
    });
    const notification = Object.freeze({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
    for (let i = 0; i < 3; i++) await transport.send(notification);
    assert.equal(sdks.of('operation').length, 3);
  });
});

describe('a server in the same process', () => {
  it('is not taken for a client', async () => {
    const { Server } = await import('@modelcontextprotocol/sdk/server/index.js');
    const { ListToolsRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const [mine, theirs] = v1.InMemoryTransport.createLinkedPair();
    const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [{ name: 'a', inputSchema: { type: 'object' as const } }],
    }));
    await server.connect(theirs);
    const client = new v1.Client({ name: 'app', version: '1' });
    await client.connect(mine);
    await client.listTools();
    assert.equal(sdks.of('connection_opened').length, 1);
    const span = sdks.spans('tools/list')[0];
    assert.equal(sdks.spans('tools/list').length, 1);
    assert.equal(span?.kind, SpanKind.CLIENT);
    await client.close();
  });
});

describe('a promise of the SDK', () => {
  it('that nobody handles is still reported as unhandled', async () => {
    const [mine, theirs] = v2.InMemoryTransport.createLinkedPair();
    const peer = new ScriptedPeer(theirs as never, {
      'tools/list': () => ({ rpcError: { code: -32603, message: 'no' } }),
    });
    await peer.start();
    const client = new v2.Client({ name: 'app', version: '1' });
    await client.connect(mine);
    const before = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    let unhandled = 0;
    process.on('unhandledRejection', () => {
      unhandled += 1;
    });
    void client.listTools();
    await until(() => unhandled === 1, 'the unhandled rejection');
    process.removeAllListeners('unhandledRejection');
    for (const listener of before) process.on('unhandledRejection', listener);
    await client.close();
  });
});

describe('disabling', () => {
  it('takes every patch out, and enabling again puts it back', async () => {
    const patched = v1.Client.prototype.listTools;
    sdks.instrumentation.disable();
    assert.notEqual(v1.Client.prototype.listTools, patched);
    assert.equal(v1.Client.prototype.listTools.name, 'listTools');
    sdks.instrumentation.enable();
    const [mine, theirs] = v1.InMemoryTransport.createLinkedPair();
    await new ScriptedPeer(theirs as never).start();
    const client = new v1.Client({ name: 'app', version: '1' });
    await client.connect(mine);
    await client.close();
    assert.equal(sdks.of('handshake').length, 1);
  });
});

describe('reportInstalledRegistry', () => {
  async function connect() {
    const [mine, theirs] = v1.InMemoryTransport.createLinkedPair();
    await new ScriptedPeer(theirs as never, { 'tools/list': pages([tool('read'), tool('write')]) }).start();
    const client = new v1.Client({ name: 'app', version: '1' });
    await client.connect(mine);
    const { tools } = await client.listTools();
    return { client, transport: mine, tools };
  }

  it('gives the catalog under the names of the server, whatever the host calls its tools', async () => {
    const { client, tools } = await connect();
    const renamed = tools.map((each) => ({ ...each, name: `srv__${each.name}` }));
    reportInstalledRegistry(client, { tools: renamed, renamed: { read: 'srv__read', write: 'srv__write' } });
    const installed = sdks.of('installed')[0];
    assert.equal(installed?.catalog.digest, sdks.of('traversal')[0]?.catalog.digest);
    assert.equal(installed?.renamed, 2);
    assert.equal(installed?.layer, 'installed');
    await client.close();
  });

  it('finds the connection by client, transport, and a proxy of the client', async () => {
    const { client, transport, tools } = await connect();
    reportInstalledRegistry(client, { tools });
    reportInstalledRegistry(transport, { tools, layer: 'used' });
    reportInstalledRegistry(new Proxy(client, {}), {
      tools,
      filtered: ['write'],
      policy: { kind: 'interval', seconds: 30 },
    });
    assert.deepEqual(
      sdks.of('installed').map((one) => one.layer),
      ['installed', 'used', 'installed'],
    );
    assert.deepEqual(sdks.of('installed')[2]?.filtered, ['write']);
    assert.deepEqual(sdks.of('installed')[2]?.policy, { kind: 'interval', seconds: 30 });
    await client.close();
  });

  it('does nothing for what it does not know, and never throws', async () => {
    const { client } = await connect();
    const cyclic: Record<string, unknown> = { name: 'c' };
    cyclic.inputSchema = cyclic;
    for (const target of [{}, new v1.Client({ name: 'x', version: '1' }), Object.create(null)]) {
      reportInstalledRegistry(target, { tools: [] });
    }
    reportInstalledRegistry(client, undefined as never);
    reportInstalledRegistry(client, { tools: 'all' as never });
    assert.equal(sdks.of('installed').length, 0);
    reportInstalledRegistry(client, {
      tools: [null, 7, cyclic],
      renamed: 5 as never,
      filtered: 'x' as never,
      policy: { kind: 'no' } as never,
    });
    assert.equal(sdks.of('installed').length, 1);
    assert.deepEqual(sdks.of('installed')[0]?.filtered, []);
    await client.close();
    reportInstalledRegistry(client, { tools: [] });
    assert.equal(sdks.of('installed').length, 1, 'a closed connection has no registry');
  });
});
