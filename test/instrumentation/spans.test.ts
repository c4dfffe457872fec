// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { observeSdks, until } from '../support/observed-sdks.ts';
import { type Frame, pages, ScriptedPeer, tool } from '../support/scripted-peer.ts';

const sdks = await observeSdks({ traversalTimeoutMs: 50 });
const { v1, v2 } = sdks;
const { InitializeResultSchema } = await import('@modelcontextprotocol/sdk/types.js');

after(() => sdks.instrumentation.disable());
beforeEach(() => sdks.reset());

async function connectV1(handlers = {}, capabilities?: unknown, options = {}) {
  const [mine, theirs] = v1.InMemoryTransport.createLinkedPair();
  const peer = new ScriptedPeer(theirs as never, handlers, capabilities);
  await peer.start();
  const client = new v1.Client({ name: 'app', version: '1' }, options);
  await client.connect(mine);
  return { client, peer, transport: mine };
}

async function connectV2(handlers = {}, capabilities?: unknown, options = {}) {
  const [mine, theirs] = v2.InMemoryTransport.createLinkedPair();
  const peer = new ScriptedPeer(theirs as never, handlers, capabilities);
  await peer.start();
  const client = new v2.Client({ name: 'app', version: '1' }, options);
  await client.connect(mine);
  return { client, peer, transport: mine };
}

/** The two majors take the options of a call at different places. */
function callWithTimeout(client: unknown): Promise<unknown> {
  if (client instanceof v1.Client) return client.callTool({ name: 'slow' }, undefined, { timeout: 20 });
  return (client as InstanceType<typeof v2.Client>).callTool({ name: 'slow' }, { timeout: 20 });
}

const traceparentOf = (frame: Frame | undefined): unknown =>
  (frame?.params?._meta as Record<string, unknown> | undefined)?.traceparent;

const one = <T>(list: readonly T[]): T => {
  assert.equal(list.length, 1);
  return list[0] as T;
};

describe('the handshake', () => {
  for (const [major, connect] of [
    ['v1', connectV1],
    ['v2', connectV2],
  ] as const) {
    it(`is a client span and an observation of what was negotiated, with SDK ${major}`, async () => {
      const { client } = await connect({ 'tools/list': pages([]) });
      const span = one(sdks.spans('initialize'));
      assert.equal(span.kind, SpanKind.CLIENT);
      assert.equal(span.status.code, SpanStatusCode.UNSET);
      assert.equal(span.attributes['mcp.method.name'], 'initialize');
      assert.equal(span.attributes['jsonrpc.request.id'], '0');
      const handshake = one(sdks.of('handshake'));
      assert.equal(handshake.era, 'legacy');
      assert.equal(handshake.listChanged, true);
      assert.equal(handshake.serverName, 'scripted');
      assert.equal(one(sdks.of('coverage')).channel, 'in_memory');
      assert.equal(one(sdks.spans('notifications/initialized')).kind, SpanKind.CLIENT);
      await client.close();
      assert.equal(one(sdks.of('connection_closed')).cause, 'local');
    });
  }

  it('does not invent a session id', async () => {
    const { client } = await connectV1();
    assert.ok(sdks.spans().every((span) => !('mcp.session.id' in span.attributes)));
    await client.close();
  });
});

describe('the observations of a connection', () => {
  it('are numbered from one without gaps, and each rides on one span', async () => {
    const { client, peer } = await connectV1({
      'tools/list': pages([tool('a')]),
      'tools/call': () => ({ content: [] }),
    });
    await client.listTools();
    await client.callTool({ name: 'a' });
    await peer.notify('notifications/tools/list_changed');
    await client.close();
    const { observations } = sdks;
    assert.deepEqual(
      observations.map((each) => each.sequence),
      observations.map((_, index) => index + 1),
    );
    assert.equal(new Set(observations.map((each) => each.span?.spanId)).size, observations.length);
    assert.equal(sdks.spans().length, observations.length);
  });
});

describe('tools/list', () => {
  it('is one traversal span with its pages below it, and a complete catalog, in an app loop of SDK v1', async () => {
    const { client } = await connectV1({ 'tools/list': pages([tool('a')], [tool('b')]) });
    const tracer = sdks.provider.getTracer('app');
    const caller = tracer.startSpan('caller');
    await context.with(trace.setSpan(context.active(), caller), async () => {
      let cursor: string | undefined;
      do {
        const page = await client.listTools(cursor === undefined ? undefined : { cursor });
        cursor = page.nextCursor;
      } while (cursor !== undefined);
    });
    caller.end();
    const traversal = one(sdks.of('traversal'));
    assert.equal(traversal.outcome, 'complete');
    assert.equal(traversal.pages, 2);
    assert.equal(traversal.trigger, 'app');
    assert.deepEqual(
      traversal.catalog.entries?.map((entry) => entry.name),
      ['a', 'b'],
    );
    assert.equal(traversal.catalog.revision, 1);
    const span = one(sdks.spans('mcp_convergence.traversal'));
    assert.equal(span.kind, SpanKind.INTERNAL);
    assert.equal(span.parentSpanContext?.spanId, caller.spanContext().spanId);
    const requests = sdks.spans('tools/list');
    assert.equal(requests.length, 2);
    for (const page of requests) assert.equal(page.parentSpanContext?.spanId, span.spanContext().spanId);
    assert.deepEqual(
      sdks.of('delivered').map(({ source, partial }) => ({ source, partial })),
      [
        { source: 'wire', partial: true },
        { source: 'wire', partial: false },
      ],
    );
    await client.close();
  });

  it('is one traversal when SDK v2 walks by itself', async () => {
    const { client } = await connectV2({ 'tools/list': pages([tool('a')], [tool('b')], [tool('c')]) });
    await client.listTools();
    const traversal = one(sdks.of('traversal'));
    assert.equal(traversal.outcome, 'complete');
    assert.equal(traversal.pages, 3);
    const delivered = one(sdks.of('delivered'));
    assert.equal(delivered.catalog.digest, traversal.catalog.digest);
    assert.equal(delivered.traversalId, traversal.traversalId);
    await client.close();
  });

  it('answered from the cache of SDK v2 is a delivery without a traversal', async () => {
    const { client, peer } = await connectV2({
      'tools/list': () => ({ tools: [tool('a')], ttlMs: 60000, cacheScope: 'private' }),
    });
    await client.listTools();
    await client.listTools();
    assert.equal(peer.received.filter((frame) => frame.method === 'tools/list').length, 1);
    assert.equal(sdks.of('traversal').length, 1);
    assert.equal(sdks.of('traversal')[0]?.ttlMs, 60000);
    assert.deepEqual(
      sdks.of('delivered').map((each) => each.source),
      ['wire', 'cache'],
    );
    await client.close();
  });

  it('answered by SDK v2 without asking, since the server has no tools, is a delivery of nothing', async () => {
    const { client } = await connectV2({}, {});
    await client.listTools();
    assert.equal(sdks.of('traversal').length, 0);
    assert.equal(one(sdks.of('delivered')).source, 'none');
    await client.close();
  });

  it('left after page one ends as abandoned by itself', async () => {
    const { client } = await connectV1({ 'tools/list': pages([tool('a')], [tool('b')]) });
    await client.listTools();
    assert.equal(sdks.of('traversal').length, 0);
    await until(() => sdks.of('traversal').length === 1, 'the traversal to end');
    assert.equal(one(sdks.of('traversal')).outcome, 'abandoned');
    await client.close();
  });

  it('whose page is an error is a failed traversal, and both spans say so', async () => {
    const { client } = await connectV1({ 'tools/list': () => ({ rpcError: { code: -32602, message: 'bad cursor' } }) });
    await assert.rejects(client.listTools());
    assert.equal(one(sdks.of('traversal')).outcome, 'failed');
    assert.equal(one(sdks.of('traversal')).errorType, '-32602');
    const span = one(sdks.spans('tools/list'));
    assert.equal(span.status.code, SpanStatusCode.ERROR);
    assert.equal(span.status.message, 'bad cursor');
    assert.equal(span.attributes['error.type'], '-32602');
    assert.equal(span.attributes['rpc.response.status_code'], '-32602');
    await client.close();
  });

  for (const [major, connect] of [
    ['v1', connectV1],
    ['v2', connectV2],
  ] as const) {
    it(`with a null cursor fails for SDK ${major}, which rejects the reply`, async () => {
      const { client } = await connect({ 'tools/list': () => ({ tools: [tool('a')], nextCursor: null }) });
      await assert.rejects(client.listTools());
      assert.equal(one(sdks.of('traversal')).outcome, 'failed');
      await client.close();
    });
  }

  it('with a cursor that repeats is looped, although SDK v2 calls the walk complete', async () => {
    const { client } = await connectV2({ 'tools/list': () => ({ tools: [tool('a')], nextCursor: '8' }) });
    await client.listTools();
    assert.equal(one(sdks.of('traversal')).outcome, 'looped');
    await client.close();
  });

  it('that SDK v2 gives up after its page limit is capped', async () => {
    let n = 0;
    const { client } = await connectV2(
      { 'tools/list': () => ({ tools: [tool(`t${n}`)], nextCursor: String(n++) }) },
      undefined,
      { listMaxPages: 3 },
    );
    await assert.rejects(client.listTools());
    assert.equal(one(sdks.of('traversal')).outcome, 'capped');
    await client.close();
  });

  it('torn by a signal between its pages is torn, although SDK v2 returns the list', async () => {
    const { client, peer } = await connectV2();
    const walk = pages([tool('a')], [tool('b')]);
    peer.handlers['tools/list'] = async (params, frame) => {
      if (params.cursor === '2') await peer.notify('notifications/tools/list_changed');
      return walk(params, frame);
    };
    const { tools } = await client.listTools();
    assert.equal(tools.length, 2);
    const traversal = one(sdks.of('traversal'));
    assert.equal(traversal.outcome, 'torn');
    assert.equal(traversal.tornBy, 'signal');
    await client.close();
  });

  it('between whose pages the client shakes hands again is torn, since other code may have answered', async () => {
    const { client } = await connectV1({ 'tools/list': pages([tool('a')], [tool('b')]) });
    const { nextCursor } = await client.listTools();
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'app', version: '1' } };
    await client.request({ method: 'initialize', params }, InitializeResultSchema);
    await client.listTools({ cursor: nextCursor });
    assert.equal(one(sdks.of('epoch_changed')).cause, 'handshake_repeated');
    assert.equal(one(sdks.of('traversal')).tornBy, 'epoch');
    await client.close();
  });

  it('in two parallel walks of SDK v2 with equal cursors is two complete traversals', async () => {
    const { client } = await connectV2({ 'tools/list': pages([tool('a')], [tool('b')]) });
    await Promise.all([
      client.listTools(undefined, { cacheMode: 'bypass' }),
      client.listTools(undefined, { cacheMode: 'bypass' }),
    ]);
    assert.deepEqual(
      sdks.of('traversal').map(({ outcome, pages: n }) => ({ outcome, n })),
      [
        { outcome: 'complete', n: 2 },
        { outcome: 'complete', n: 2 },
      ],
    );
    await client.close();
  });
});

describe('notifications/tools/list_changed', () => {
  for (const [major, connect] of [
    ['v1', connectV1],
    ['v2', connectV2],
  ] as const) {
    it(`is a server span, runs the app's handler, and the refresh it causes is tied to it, with SDK ${major}`, async () => {
      let changed = 0;
      const onChanged = () => {
        changed += 1;
      };
      const { client, peer } = await connect({ 'tools/list': pages([tool('a')]) }, undefined, {
        listChanged: { tools: { autoRefresh: true, debounceMs: 10, onChanged } },
      });
      await peer.notify('notifications/tools/list_changed');
      await until(() => changed === 1, 'the handler of the app');
      const signal = one(sdks.of('signal'));
      assert.deepEqual(
        { advertised: signal.advertised, malformed: signal.malformed, early: signal.early },
        { advertised: true, malformed: false, early: false },
      );
      const span = one(sdks.spans('notifications/tools/list_changed'));
      assert.equal(span.kind, SpanKind.SERVER);
      assert.ok(!('jsonrpc.request.id' in span.attributes));
      const traversal = one(sdks.of('traversal'));
      assert.equal(traversal.trigger, 'signal');
      assert.equal(traversal.signalSequence, signal.sequence);
      assert.ok(traversal.startSequence > signal.sequence);
      const walk = one(sdks.spans('mcp_convergence.traversal'));
      assert.equal(walk.parentSpanContext?.spanId, span.spanContext().spanId);
      await client.close();
    });
  }

  it('that comes while a tool runs starts a refresh of its own, not one of the call', async () => {
    let changed = 0;
    const onChanged = () => {
      changed += 1;
    };
    const { client, peer } = await connectV1({ 'tools/list': pages([tool('a')]) }, undefined, {
      listChanged: { tools: { autoRefresh: true, debounceMs: 1, onChanged } },
    });
    peer.handlers['tools/call'] = async () => {
      await peer.notify('notifications/tools/list_changed');
      return { content: [] };
    };
    await client.callTool({ name: 'a' });
    await until(() => changed === 1, 'the handler of the app');
    assert.equal(one(sdks.of('traversal')).trigger, 'signal');
    assert.equal(one(sdks.of('delivered')).source, 'wire');
    await client.close();
  });

  it('that the server never advertised is recorded as such', async () => {
    const { client, peer } = await connectV1({}, { tools: {} });
    await peer.notify('notifications/tools/list_changed');
    assert.equal(one(sdks.of('signal')).advertised, false);
    await client.close();
  });

  it('before the handshake is over is recorded as early', async () => {
    const [mine, theirs] = v1.InMemoryTransport.createLinkedPair();
    const peer = new ScriptedPeer(theirs as never);
    const initialize = peer.handlers.initialize!;
    peer.handlers.initialize = async (params, frame) => {
      await peer.notify('notifications/tools/list_changed');
      return initialize(params, frame);
    };
    await peer.start();
    const client = new v1.Client({ name: 'app', version: '1' });
    await client.connect(mine);
    assert.equal(one(sdks.of('signal')).early, true);
    await client.close();
  });

  it('takes its parent from the trace context it carries and links what was active', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const { client, peer } = await connectV1();
    await peer.notify('notifications/tools/list_changed', { _meta: { traceparent } });
    const span = one(sdks.spans('notifications/tools/list_changed'));
    assert.equal(span.spanContext().traceId, '0af7651916cd43dd8448eb211c80319c');
    assert.equal(span.parentSpanContext?.spanId, 'b7ad6b7169203331');
    await client.close();
  });
});

describe('tools/call', () => {
  it('carries the schema revision under which it was made', async () => {
    const { client, peer } = await connectV1({
      'tools/list': pages([tool('a')]),
      'tools/call': () => ({ content: [] }),
    });
    await client.listTools();
    await client.callTool({ name: 'a' });
    peer.handlers['tools/list'] = pages([tool('a', { description: 'other' })]);
    await client.listTools();
    await client.callTool({ name: 'a' });
    const [first, second] = sdks.of('call');
    assert.deepEqual([first?.schemaRevision, second?.schemaRevision], [1, 2]);
    assert.notEqual(first?.toolDigest, second?.toolDigest);
    const span = sdks.spans('tools/call a')[0];
    assert.equal(span?.attributes['gen_ai.tool.name'], 'a');
    assert.equal(span?.attributes['gen_ai.operation.name'], 'execute_tool');
    await client.close();
  });

  it('with isError is a tool error, without a JSON-RPC status', async () => {
    const { client } = await connectV1({ 'tools/call': () => ({ content: [], isError: true }) });
    await client.callTool({ name: 'a' });
    assert.equal(one(sdks.of('call')).outcome, 'tool_error');
    const span = one(sdks.spans('tools/call a'));
    assert.equal(span.attributes['error.type'], 'tool_error');
    assert.ok(!('rpc.response.status_code' in span.attributes));
    assert.equal(span.status.code, SpanStatusCode.ERROR);
    await client.close();
  });

  for (const [major, connect] of [
    ['v1', connectV1],
    ['v2', connectV2],
  ] as const) {
    it(`that times out is a timeout, and its late reply is noted and taken for nothing, with SDK ${major}`, async () => {
      const { client, peer } = await connect();
      await assert.rejects(callWithTimeout(client));
      const timedOut = sdks.of('call').filter((call) => call.outcome === 'timeout');
      assert.equal(timedOut.length, 1);
      const span = sdks.spans('tools/call slow')[0];
      assert.equal(span?.attributes['error.type'], 'timeout');
      const id = peer.received.findLast((frame) => frame.method === 'tools/call')?.id;
      await peer.say({ jsonrpc: '2.0', id: id!, result: { content: [] } });
      const late = one(sdks.spans('mcp_convergence.late_reply'));
      assert.equal(late.links[0]?.context.spanId, sdks.spans('tools/call slow').at(-1)?.spanContext().spanId);
      await client.close();
    });
  }

  it('whose total time is up is a timeout, although progress keeps coming and the SDK cancels nothing', async () => {
    const { client, peer } = await connectV1();
    const options = { timeout: 1000, maxTotalTimeout: 30, resetTimeoutOnProgress: true, onprogress: () => {} };
    const call = client.callTool({ name: 'slow' }, undefined, options);
    const progressToken = peer.received.findLast((frame) => frame.method === 'tools/call')?.id;
    const ticking = setInterval(() => void peer.notify('notifications/progress', { progressToken, progress: 1 }), 10);
    await assert.rejects(call);
    clearInterval(ticking);
    assert.equal(one(sdks.of('call')).outcome, 'timeout');
    await client.close();
  });

  it('that the caller gives up is cancelled and no error', async () => {
    const { client } = await connectV1();
    const abort = new AbortController();
    const call = client.callTool({ name: 'slow' }, undefined, { signal: abort.signal });
    abort.abort('changed my mind');
    await assert.rejects(call);
    assert.equal(one(sdks.of('call')).outcome, 'cancelled');
    const span = one(sdks.spans('tools/call slow'));
    assert.equal(span.status.code, SpanStatusCode.UNSET);
    assert.equal(span.attributes['mcp_convergence.cancelled'], true);
    await client.close();
  });

  it('in flight when the connection closes ends with it', async () => {
    const { client, peer } = await connectV1();
    const call = client.callTool({ name: 'slow' });
    await peer.close();
    await assert.rejects(call);
    assert.equal(one(sdks.of('call')).errorType, 'connection_closed');
    assert.equal(sdks.observations.at(-1)?.kind, 'connection_closed');
  });
});

describe('trace context', () => {
  it('is added to a copy and never over the keys of the app', async () => {
    const { client, peer } = await connectV1({ 'tools/call': () => ({ content: [] }) });
    const params = { name: 'a', arguments: { x: 1 }, _meta: { traceparent: 'mine', other: true } };
    const before = structuredClone(params);
    await client.callTool(params);
    assert.deepEqual(params, before);
    const frame = peer.received.findLast((each) => each.method === 'tools/call');
    assert.deepEqual(traceparentOf(frame), 'mine');
    await client.close();
  });

  it('makes the request span the parent of whatever the server does', async () => {
    const { client, peer } = await connectV1({ 'tools/call': () => ({ content: [] }) });
    await client.callTool({ name: 'a' });
    const frame = peer.received.findLast((each) => each.method === 'tools/call');
    const span = one(sdks.spans('tools/call a'));
    const { traceId, spanId } = span.spanContext();
    assert.equal(traceparentOf(frame), `00-${traceId}-${spanId}-01`);
    await client.close();
  });
});

describe('requests of the server', () => {
  it('are server spans, and a refusal is the fault of the caller', async () => {
    const { client, peer } = await connectV1();
    await peer.say({ jsonrpc: '2.0', id: 77, method: 'ping' });
    await peer.say({ jsonrpc: '2.0', id: 78, method: 'no/such' });
    await until(() => sdks.spans('no/such').length === 1 && sdks.spans('ping').length === 1, 'both answers');
    assert.equal(one(sdks.spans('ping')).kind, SpanKind.SERVER);
    const refused = one(sdks.spans('no/such'));
    assert.equal(refused.attributes['rpc.response.status_code'], '-32601');
    assert.ok(!('error.type' in refused.attributes));
    assert.equal(refused.status.code, SpanStatusCode.UNSET);
    await client.close();
  });
});

describe('durations', () => {
  it('are recorded per operation and per session, without ids', async () => {
    const { client } = await connectV1({ 'tools/list': pages([tool('a')]) });
    await client.listTools();
    await client.close();
    const metrics = await sdks.metricNames();
    const operations = metrics.get('mcp.client.operation.duration') ?? [];
    assert.ok(operations.some((attributes) => attributes['mcp.method.name'] === 'tools/list'));
    assert.ok(operations.every((attributes) => !('jsonrpc.request.id' in attributes)));
    assert.ok((metrics.get('mcp.client.session.duration') ?? []).length > 0);
  });

  it('have one label for all methods that MCP does not know, whatever a server invents', async () => {
    const { client, peer } = await connectV1();
    for (const method of ['invented/1', 'invented/2', '__proto__', 'notifications/invented']) await peer.notify(method);
    await until(() => sdks.spans('invented/2').length === 1, 'the span, which keeps the name');
    await client.close();
    const operations = (await sdks.metricNames()).get('mcp.server.operation.duration') ?? [];
    const methods = new Set(operations.map((attributes) => attributes['mcp.method.name']));
    assert.ok(
      methods.has('_OTHER') && ![...methods].some((method) => /invented|proto/.test(String(method))),
      [...methods].join(),
    );
  });
});
