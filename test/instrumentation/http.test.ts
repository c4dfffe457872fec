// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { observeSdks, until } from '../support/observed-sdks.ts';
import { ScriptedHttpServer } from '../support/scripted-http-server.ts';
import { pages, tool } from '../support/scripted-peer.ts';

const sdks = await observeSdks();
const { v1, v2 } = sdks;
const FAST = {
  reconnectionOptions: {
    initialReconnectionDelay: 10,
    maxReconnectionDelay: 20,
    reconnectionDelayGrowFactor: 1,
    maxRetries: 2,
  },
};

let server: ScriptedHttpServer;
let close: () => Promise<void> = async () => {};

after(() => sdks.instrumentation.disable());
beforeEach(() => {
  sdks.reset();
  server = new ScriptedHttpServer({ 'tools/list': pages([tool('a')]), 'tools/call': () => ({ content: [] }) });
});
afterEach(async () => {
  await close();
  await server.close();
});

async function connect(
  major: 'v1' | 'v2',
  options: Record<string, unknown> = {},
  transportOptions: Record<string, unknown> = {},
) {
  const url = await server.listen();
  const sdk = major === 'v1' ? v1 : v2;
  const client = new sdk.Client({ name: 'app', version: '1' }, options as never);
  const transport = new sdk.StreamableHTTPClientTransport(url, { ...FAST, ...transportOptions } as never);
  await client.connect(transport as never);
  close = async () => {
    await client.close();
  };
  return { client: client as InstanceType<typeof v2.Client>, transport };
}

const coverage = () => sdks.of('coverage').map(({ channel, state }) => `${channel} ${state}`);

for (const major of ['v1', 'v2'] as const) {
  describe(`a legacy session over Streamable HTTP with SDK ${major}`, () => {
    it('has a window for signals only from the moment its GET stream is answered', async () => {
      await connect(major);
      await until(() => coverage().length === 1, 'the GET stream');
      assert.deepEqual(coverage(), ['get_stream opened']);
      const handshake = sdks.of('handshake')[0];
      assert.ok((sdks.of('coverage')[0]?.sequence ?? 0) > (handshake?.sequence ?? 0));
    });

    it('carries the session id that the server issued, the address, and a session epoch', async () => {
      const { client } = await connect(major);
      await client.listTools();
      const span = sdks.spans('tools/list')[0];
      assert.equal(span?.attributes['mcp.session.id'], 'session-1');
      assert.equal(span?.attributes['server.address'], '127.0.0.1');
      assert.equal(typeof span?.attributes['server.port'], 'number');
      assert.equal(span?.attributes['network.transport'], 'tcp');
      assert.equal(span?.attributes['network.protocol.name'], 'http');
      assert.equal(sdks.observations.at(-1)?.epoch.source, 'session');
      assert.equal(new Set(sdks.observations.map((each) => each.epoch.id)).size, 1);
    });

    it('whose GET is answered 405 has no window, and that is said', async () => {
      server.offersStream = false;
      await connect(major);
      await until(() => coverage().length === 1, 'the refusal');
      assert.deepEqual(coverage(), ['get_stream refused']);
    });

    it('loses its window when the stream breaks and gets a new one with the next stream', async () => {
      await connect(major);
      await until(() => server.streams === 1, 'the GET stream');
      server.dropStreams();
      await until(() => coverage().length === 3, 'the next GET stream');
      assert.deepEqual(coverage(), ['get_stream opened', 'get_stream closed', 'get_stream opened']);
    });

    it('receives its signals over that stream', async () => {
      await connect(major);
      await until(() => server.streams === 1, 'the GET stream');
      server.notify('notifications/tools/list_changed');
      await until(() => sdks.of('signal').length === 1, 'the signal');
    });

    it('that the server has forgotten is another epoch', async () => {
      const { client } = await connect(major);
      await client.listTools();
      server.session = 'session-2';
      await assert.rejects(client.callTool({ name: 'a' }));
      const call = sdks.of('call')[0];
      assert.equal(call?.errorType, '404');
      const changed = sdks.of('epoch_changed')[0];
      assert.equal(changed?.cause, 'session_lost');
      assert.notEqual(changed?.epoch.id, call?.epoch.id);
    });

    it('resumes a reply that was cut off: one call, marked, and nothing sent again', async () => {
      const { client } = await connect(major);
      await until(() => server.streams === 1, 'the GET stream');
      const sent = server.received.length;
      const request = { method: 'tools/call', params: { name: 'a' } };
      const resume = { resumptionToken: 'resume' };
      if (major === 'v1')
        await (client as unknown as InstanceType<typeof v1.Client>).callTool({ name: 'a' }, undefined, resume);
      else await client.request(request as never, resume as never);
      assert.equal(server.received.length, sent);
      assert.equal(sdks.of('call')[0]?.outcome, 'ok');
      assert.equal(sdks.spans('tools/call a')[0]?.attributes['mcp_convergence.resumed'], true);
      assert.deepEqual(coverage(), ['get_stream opened'], 'the stream of a reply is no channel for signals');
    });

    it('that is over is not brought back by a stray message', async () => {
      const { client, transport } = await connect(major);
      await client.close();
      const seen = sdks.observations.length;
      await transport
        .send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
        .catch(() => {});
      assert.equal(sdks.observations.length, seen);
      assert.equal(sdks.observations.at(-1)?.kind, 'connection_closed');
    });

    it('that is resumed by its id has no handshake and no window', async () => {
      const { client } = await connect(major, {}, { sessionId: 'session-1' });
      await client.listTools();
      assert.equal(sdks.of('handshake').length, 0);
      assert.deepEqual(coverage(), []);
      assert.equal(sdks.of('traversal').length, major === 'v1' ? 1 : 0, 'SDK v2 answers an empty list without asking');
    });
  });
}

describe('a modern connection over Streamable HTTP', () => {
  const modern = { versionNegotiation: { mode: { pin: '2026-07-28' } } };
  const listening = { ...modern, listChanged: { tools: { autoRefresh: true, debounceMs: 10, onChanged: () => {} } } };

  beforeEach(() => {
    server.session = undefined;
    server.handlers['tools/list'] = () => ({
      resultType: 'complete',
      tools: [tool('a')],
      ttlMs: 0,
      cacheScope: 'private',
    });
  });

  it('begins with server/discover and says so', async () => {
    const { client } = await connect('v2', modern);
    await client.listTools();
    const handshake = sdks.of('handshake')[0];
    assert.deepEqual(
      {
        method: handshake?.method,
        era: handshake?.era,
        version: handshake?.protocolVersion,
        name: handshake?.serverName,
      },
      { method: 'server/discover', era: 'modern', version: '2026-07-28', name: 'scripted-http' },
    );
    assert.equal(sdks.of('handshake').length, 1);
    assert.equal(sdks.spans('tools/list')[0]?.attributes['mcp.protocol.version'], '2026-07-28');
    assert.deepEqual(coverage(), [], 'without a listen stream no signal can arrive');
  });

  it('has a window from the acknowledgement of its listen to the end of that stream', async () => {
    await connect('v2', listening);
    assert.deepEqual(coverage(), ['listen opened']);
    assert.equal(sdks.spans('subscriptions/listen').length, 1, 'the span ends with the acknowledgement');
    server.dropStreams();
    await until(() => coverage().length === 2, 'the end of the stream');
    assert.deepEqual(coverage(), ['listen opened', 'listen closed']);
  });

  it('has no window when its listen is acknowledged without tools', async () => {
    server.honoursTools = false;
    await connect('v2', listening);
    assert.deepEqual(coverage(), ['listen refused']);
  });

  it('refreshes on a signal in a traversal tied to it', async () => {
    await connect('v2', listening);
    server.notify('notifications/tools/list_changed');
    await until(() => sdks.of('traversal').length === 1, 'the refresh');
    assert.equal(sdks.of('traversal')[0]?.trigger, 'signal');
    assert.equal(sdks.of('traversal')[0]?.signalSequence, sdks.of('signal')[0]?.sequence);
  });

  it('tells a timeout from a cancellation, although neither sends a message', async () => {
    server.handlers['tools/call'] = () => undefined;
    const { client } = await connect('v2', modern);
    await assert.rejects(client.callTool({ name: 'slow' }, { timeout: 30 }));
    const abort = new AbortController();
    const call = client.callTool({ name: 'slow' }, { signal: abort.signal });
    setTimeout(() => abort.abort(), 20);
    await assert.rejects(call);
    assert.deepEqual(
      sdks.of('call').map((each) => each.outcome),
      ['timeout', 'cancelled'],
    );
  });

  it('asks again under a new id when the server wants more: one call of the app, two requests', async () => {
    let asked = 0;
    server.handlers['tools/call'] = (params) => {
      asked += 1;
      if (params.inputResponses) return { resultType: 'complete', content: [] };
      const elicit = {
        method: 'elicitation/create',
        params: { mode: 'form', message: '?', requestedSchema: { type: 'object', properties: {} } },
      };
      return { resultType: 'input_required', inputRequests: { q: elicit }, requestState: 's' };
    };
    const { client } = await connect('v2', { ...modern, capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }));
    await client.callTool({ name: 'a' });
    assert.equal(asked, 2);
    assert.deepEqual(
      sdks.of('call').map((each) => each.outcome),
      ['input_required', 'ok'],
    );
    const ids = sdks.spans('tools/call a').map((span) => span.attributes['jsonrpc.request.id']);
    assert.equal(new Set(ids).size, 2);
  });

  it('lists behind the back of its caller after a header mismatch, and that list is delivered to nobody', async () => {
    let calls = 0;
    server.handlers['tools/call'] = () => {
      calls += 1;
      return calls === 1
        ? { rpcError: { code: -32020, message: 'header mismatch' } }
        : { resultType: 'complete', content: [] };
    };
    const { client } = await connect('v2', modern);
    await client.callTool({ name: 'a' });
    const traversal = sdks.of('traversal')[0];
    assert.equal(traversal?.trigger, 'call');
    assert.deepEqual(sdks.of('delivered'), []);
  });

  it('delivers less than was discovered when a tool declares an invalid header', async () => {
    const bad = tool('bad', {
      inputSchema: { type: 'object', properties: { x: { type: 'object', 'x-mcp-header': 'A B' } } },
    });
    server.handlers['tools/list'] = () => ({
      resultType: 'complete',
      tools: [tool('a'), bad],
      ttlMs: 0,
      cacheScope: 'private',
    });
    const { client } = await connect('v2', modern);
    await client.listTools();
    assert.equal(sdks.of('traversal')[0]?.catalog.size, 2);
    assert.equal(sdks.of('delivered')[0]?.catalog.size, 1);
  });

  it('delivers what was discovered although the SDK takes `execution` out of every tool', async () => {
    const withExecution = tool('a', { execution: { taskSupport: 'optional' } });
    server.handlers['tools/list'] = () => ({
      resultType: 'complete',
      tools: [withExecution],
      ttlMs: 0,
      cacheScope: 'private',
    });
    const { client } = await connect('v2', modern);
    await client.listTools();
    assert.equal(sdks.of('delivered')[0]?.catalog.digest, sdks.of('traversal')[0]?.catalog.digest);
  });

  it('adopted from a stored discover result has a handshake and no window', async () => {
    const url = await server.listen();
    const first = new v2.Client({ name: 'app', version: '1' }, modern as never);
    await first.connect(new v2.StreamableHTTPClientTransport(url));
    const discover = first.getDiscoverResult?.();
    await first.close();
    assert.ok(discover, 'the SDK keeps the discover result');
    sdks.reset();
    const client = new v2.Client({ name: 'app', version: '1' }, listening as never);
    await client.connect(new v2.StreamableHTTPClientTransport(url), { prior: { kind: 'modern', discover } } as never);
    close = () => client.close();
    await client.listTools();
    assert.equal(sdks.of('handshake')[0]?.era, 'modern');
    assert.deepEqual(coverage(), []);
  });
});
