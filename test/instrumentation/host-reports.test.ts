// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** What a host says beside its registry, and what the wire says that bears on it: principals, boundaries, cache scope, refusals. */

import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { reportBoundary, reportInstalledRegistry, reportPrincipal } from '../../instrumentation/index.ts';
import { MAX_TEXT } from '../../semconv/limits.ts';
import { observeSdks } from '../support/observed-sdks.ts';
import { type Handler, pages, ScriptedPeer, tool } from '../support/scripted-peer.ts';

const sdks = await observeSdks();
const { v1, v2 } = sdks;

after(() => sdks.instrumentation.disable());
beforeEach(() => sdks.reset());

async function connect(handlers: Record<string, Handler> = {}) {
  const [mine, theirs] = v1.InMemoryTransport.createLinkedPair();
  await new ScriptedPeer(theirs as never, { 'tools/list': pages([tool('read'), tool('write')]), ...handlers }).start();
  const client = new v1.Client({ name: 'app', version: '1' });
  await client.connect(mine);
  return client;
}

describe('reportPrincipal', () => {
  it('says for whom the connection acts, by a hash and never by the label', async () => {
    const client = await connect();
    reportPrincipal(client, 'tenant-a');
    reportPrincipal(client, 'tenant-b');
    reportPrincipal(client, 'tenant-a');
    const [a, b, again] = sdks.of('principal').map((one) => one.principal);
    assert.match(a ?? '', /^[0-9a-f]{16}$/);
    assert.notEqual(a, b);
    assert.equal(a, again);
    assert.ok(!JSON.stringify(sdks.spans().map((span) => span.attributes)).includes('tenant'));
    await client.close();
  });

  it('agrees with the principal of a report', async () => {
    const client = await connect();
    reportPrincipal(client, 'tenant-a');
    reportInstalledRegistry(client, { tools: [], principal: 'tenant-a', visibility: 'turn' });
    assert.equal(sdks.of('installed')[0]?.principal, sdks.of('principal')[0]?.principal);
    assert.equal(sdks.of('installed')[0]?.visibility, 'turn');
    await client.close();
  });
});

describe('reportBoundary', () => {
  it('tells each boundary on a span of its own', async () => {
    const client = await connect();
    for (const boundary of ['model_call', 'turn', 'session'] as const) reportBoundary(client, boundary);
    assert.deepEqual(
      sdks.of('boundary').map((one) => one.boundary),
      ['model_call', 'turn', 'session'],
    );
    assert.equal(sdks.spans('mcp_convergence.boundary').length, 3);
    await client.close();
  });
});

describe('reports that make no sense', () => {
  it('are dropped one by one, and throw nothing', async () => {
    const client = await connect();
    for (const junk of [undefined, null, 7, {}, 'week']) {
      reportBoundary(client, junk as never);
      reportBoundary(junk as never, 'turn');
      reportPrincipal(junk as never, 'a');
      if (typeof junk !== 'string') reportPrincipal(client, junk as never);
    }
    assert.deepEqual([...sdks.of('boundary'), ...sdks.of('principal')], []);
    reportInstalledRegistry(client, { tools: [], principal: 7 as never, visibility: 'week' as never });
    const [installed] = sdks.of('installed');
    assert.ok(installed && !('principal' in installed) && !('visibility' in installed));
    await client.close();
    reportBoundary(client, 'turn');
    reportPrincipal(client, 'a');
    assert.deepEqual([...sdks.of('boundary'), ...sdks.of('principal')], [], 'nothing belongs to a closed connection');
  });

  it('name no tool at greater length than an observation may hold', async () => {
    const client = await connect();
    reportInstalledRegistry(client, { tools: [], filtered: ['x'.repeat(MAX_TEXT + 1)] });
    assert.equal(sdks.of('installed')[0]?.filtered[0]?.length, MAX_TEXT);
    reportInstalledRegistry(client, { tools: [tool('x'.repeat(MAX_TEXT + 1))] });
    assert.equal(sdks.of('installed')[1]?.catalog.limit, 'name');
    await client.close();
  });
});

describe('a refused call', () => {
  const UNKNOWN = { code: -32602, message: 'Unknown tool: write' };
  const said = (text: string) => ({ content: [{ type: 'text', text }], isError: true });
  for (const [title, answer, refusal] of [
    ['an error that names the tool as unknown', { rpcError: UNKNOWN }, 'unknown_tool'],
    [
      'an error in the wording of another SDK',
      { rpcError: { code: -32602, message: "Tool 'write' not found" } },
      'unknown_tool',
    ],
    ['an error of another code', { rpcError: { code: -32601, message: 'Tool not found: write' } }, 'unknown_tool'],
    ['a result that says so', said('MCP error -32602: Tool write not found'), 'unknown_tool'],
    ['a result in quotes', said('Unknown tool: "write"'), 'unknown_tool'],
    [
      'arguments that do not fit',
      { rpcError: { code: -32602, message: 'unexpected additional properties ["duration"]' } },
      'invalid_params',
    ],
    ['a tool that failed', said('File write.txt not found'), undefined],
    ['a tool that speaks of another', said('Tool hammer not found in the shed'), undefined],
    ['an error of the server', { rpcError: { code: -32603, message: 'Internal error' } }, undefined],
    ['an ordinary answer', { content: [{ type: 'text', text: 'Unknown tool: write' }] }, undefined],
  ] as const) {
    it(`by ${title} ${refusal === undefined ? 'is none' : `is told as ${refusal}`}`, async () => {
      const client = await connect({ 'tools/call': () => answer as never });
      await client.callTool({ name: 'write' }).catch(() => {});
      assert.equal(sdks.of('call')[0]?.refusal, refusal);
      assert.ok(!JSON.stringify(sdks.spans('tools/call write').map((span) => span.attributes)).includes('not found'));
      await client.close();
    });
  }
});

describe('a list that came in full and that the SDK rejects', () => {
  for (const [major, sdk] of Object.entries({ v1, v2 })) {
    it(`is a whole walk and a delivery with an error, with SDK ${major}`, async () => {
      const [mine, theirs] = sdk.InMemoryTransport.createLinkedPair();
      const odd = tool('odd', { inputSchema: { type: 'string' } });
      await new ScriptedPeer(theirs as never, { 'tools/list': pages([tool('read'), odd]) }).start();
      const client = new (sdk as typeof v2).Client({ name: 'app', version: '1' });
      await client.connect(mine as never);
      await assert.rejects(client.listTools());
      const [walk] = sdks.of('traversal');
      const [delivered] = sdks.of('delivered');
      assert.deepEqual({ outcome: walk?.outcome, size: walk?.catalog.size }, { outcome: 'complete', size: 2 });
      assert.equal(delivered?.traversalId, walk?.traversalId);
      assert.ok(delivered?.errorType);
      assert.equal(delivered?.catalog.size, 0);
      await client.close();
    });
  }

  it('is none when the server refused it, which the walk tells already', async () => {
    const client = await connect({ 'tools/list': () => ({ rpcError: { code: -32603, message: 'no' } }) });
    await assert.rejects(client.listTools());
    assert.equal(sdks.of('traversal')[0]?.outcome, 'failed');
    assert.deepEqual(sdks.of('delivered'), []);
    await client.close();
  });
});

describe('the cache scope of a walk', () => {
  for (const [scopes, expected] of [
    [['public', 'public'], 'public'],
    [['public', 'private'], 'private'],
    [['private', 'public'], 'private'],
    [[undefined, undefined], undefined],
    [['everybody', undefined], undefined],
  ] as const) {
    it(`of pages with ${scopes.join(' and ') || 'none'} is ${expected}`, async () => {
      const page = (index: number, more: object) => ({
        tools: [tool(`t${index}`)],
        cacheScope: scopes[index],
        ...more,
      });
      const [mine, theirs] = v2.InMemoryTransport.createLinkedPair();
      const peer = new ScriptedPeer(theirs as never, {
        'tools/list': (params) => (params.cursor === undefined ? page(0, { nextCursor: '2' }) : page(1, {})),
      });
      await peer.start();
      const client = new v2.Client({ name: 'app', version: '1' });
      await client.connect(mine);
      await client.listTools().catch(() => {});
      assert.equal(sdks.of('traversal')[0]?.cacheScope, expected);
      await client.close();
    });
  }
});
