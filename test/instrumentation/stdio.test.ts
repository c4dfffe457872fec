// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { observeSdks, until } from '../support/observed-sdks.ts';

const sdks = await observeSdks({ traversalTimeoutMs: 100 });
const require = createRequire(import.meta.url);
const v1cjs = {
  ...(require('@modelcontextprotocol/sdk/client/index.js') as typeof import('@modelcontextprotocol/sdk/client/index.js')),
  ...(require('@modelcontextprotocol/sdk/client/stdio.js') as typeof import('@modelcontextprotocol/sdk/client/stdio.js')),
};
const v2cjs = {
  ...(require('@modelcontextprotocol/client') as typeof import('@modelcontextprotocol/client')),
  ...(require('@modelcontextprotocol/client/stdio') as typeof import('@modelcontextprotocol/client/stdio')),
};
const RAW = fileURLToPath(new URL('../servers/raw.mjs', import.meta.url));
const SDKS = { 'v1 as ESM': sdks.v1, 'v1 as CommonJS': v1cjs, 'v2 as ESM': sdks.v2, 'v2 as CommonJS': v2cjs } as const;
type Flavour = keyof typeof SDKS;

let close: () => Promise<void> = async () => {};

after(() => sdks.instrumentation.disable());
beforeEach(() => sdks.reset());
afterEach(async () => {
  await close();
  close = async () => {};
});

async function connect(flavour: Flavour, plan: object, options: object = {}, wire?: string) {
  const { Client, StdioClientTransport } = SDKS[flavour] as typeof sdks.v2;
  const env = wire === undefined ? {} : { env: { MCP_TEST_WIRE: wire } };
  const transport = new StdioClientTransport({ command: process.execPath, args: [RAW, JSON.stringify(plan)], ...env });
  const client = new Client({ name: 'app', version: '1' }, options as never);
  await client.connect(transport);
  close = () => client.close();
  return { client, transport };
}

const control = { name: 'control', arguments: { signal: true } };

for (const flavour of Object.keys(SDKS) as Flavour[]) {
  describe(`a stdio server and SDK ${flavour}`, () => {
    it('are in another epoch once requests are answered a second time, however many', async () => {
      const { client } = await connect(flavour, { pages: [{ tools: ['a'] }] });
      await client.listTools();
      const again = (id: number) => ({ id, result: { tools: [] } });
      const late = { name: 'control', arguments: { write: [again(0), again(1), again(999)] } };
      await client.callTool(late);
      assert.deepEqual(
        sdks.of('epoch_changed').map((one) => one.cause),
        ['reply_repeated'],
      );
      const epochs = new Set(sdks.observations.map((one) => one.epoch.id));
      assert.equal(epochs.size, 2);
    });

    it('are seen frame by frame, as many as an independent tap on the wire counts', async () => {
      const wire = join(mkdtempSync(join(tmpdir(), 'wire-')), 'lines');
      const { client } = await connect(
        flavour,
        { pages: [{ tools: ['a'] }], onInitialized: ['list_changed'] },
        {},
        wire,
      );
      await client.listTools();
      await client.callTool(control);
      await until(() => sdks.of('signal').length === 2, 'both signals');
      const lines = readFileSync(wire, 'utf8').trim().split('\n');
      const frames = sdks.observations.filter(({ kind }) =>
        ['handshake', 'operation', 'call', 'signal'].includes(kind),
      );
      const requests = lines.filter((line) => line.startsWith('in ') && line.includes('"id"')).length;
      const notifications = lines.filter((line) => line.includes('"method"') && !line.includes('"id"')).length;
      assert.equal(frames.length, requests + notifications);
      assert.equal(sdks.of('connection_opened')[0]?.transport, 'stdio');
      assert.equal(sdks.observations[0]?.epoch.source, 'process');
      assert.equal(sdks.spans('initialize')[0]?.attributes['network.transport'], 'pipe');
      assert.ok(!('network.protocol.name' in (sdks.spans('initialize')[0]?.attributes ?? {})));
    });

    it('end together, and what was in flight with them, when the server dies', async () => {
      const { client } = await connect(flavour, {});
      await assert.rejects(client.callTool({ name: 'control', arguments: { exit: 3 } }));
      await until(() => sdks.of('connection_closed').length === 1, 'the close');
      assert.equal(sdks.of('connection_closed')[0]?.cause, 'remote');
      assert.equal(sdks.of('call')[0]?.errorType, 'connection_closed');
    });

    it('get a malformed signal recorded although the SDK rejects the frame', async () => {
      const malformed = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":[]}';
      const { client } = await connect(flavour, {});
      const errors: Error[] = [];
      client.onerror = (error) => errors.push(error);
      await client.callTool({ name: 'control', arguments: { write: [malformed] } });
      await until(() => sdks.of('signal').length === 1, 'the signal');
      assert.equal(sdks.of('signal')[0]?.malformed, true);
      assert.equal(errors.length, 1, 'the SDK reports the frame as before');
    });
  });
}

describe('SDK v2 negotiating with a stdio server', () => {
  for (const [mode, plan] of [
    ['auto', { era: 'modern', pages: [{ tools: ['a'] }] }],
    ['auto', { era: 'legacy', pages: [{ tools: ['a'] }] }],
  ] as const) {
    it(`in mode ${mode} is seen probing a ${plan.era} one on a process of its own`, async () => {
      const { client } = await connect('v2 as ESM', plan, { versionNegotiation: { mode } });
      await client.listTools();
      const connections = sdks.of('connection_opened');
      assert.equal(connections.length, 2, 'one process to probe, one to use');
      const probe = connections[0]?.connectionId;
      assert.ok(sdks.observations.some((one) => one.connectionId === probe && one.kind === 'connection_closed'));
      const session = sdks.of('traversal')[0]?.connectionId;
      assert.notEqual(session, probe);
      const handshake = sdks.of('handshake').find((one) => one.connectionId === session);
      assert.equal(handshake?.era, plan.era);
      assert.equal(handshake?.listChanged, true);
    });
  }

  it('hears signals of a modern one only while its listen is open', async () => {
    const options = {
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      listChanged: { tools: { autoRefresh: true, debounceMs: 5, onChanged: () => {} } },
    };
    const { client } = await connect('v2 as ESM', { era: 'modern', pages: [{ tools: ['a'] }] }, options);
    await client.callTool({ name: 'control', arguments: { signal: true } });
    await until(() => sdks.of('traversal').length === 1, 'the refresh');
    assert.equal(sdks.of('traversal')[0]?.trigger, 'signal');
    await client.callTool({ name: 'control', arguments: { end: 'graceful' } });
    await until(() => sdks.of('coverage').length === 2, 'the end of the stream');
    assert.deepEqual(
      sdks.of('coverage').map(({ channel, state }) => `${channel} ${state}`),
      ['listen opened', 'listen closed'],
    );
  });
});

describe('one client over two connections', () => {
  it('names the earlier connection on the later one, and each has its own epoch', async () => {
    const { Client, StdioClientTransport } = sdks.v1;
    const client = new Client({ name: 'app', version: '1' });
    const start = () => new StdioClientTransport({ command: process.execPath, args: [RAW, '{}'] });
    await client.connect(start());
    await client.close();
    await client.connect(start());
    await client.close();
    const [first, second] = sdks.of('connection_opened');
    assert.equal(first?.previousConnectionId, undefined);
    assert.equal(second?.previousConnectionId, first?.connectionId);
    assert.notEqual(second?.epoch.id, first?.epoch.id);
  });
});

describe('a connection that never comes about', () => {
  for (const flavour of ['v1 as ESM', 'v2 as ESM'] as const) {
    it(`because its command does not exist is closed at once, with SDK ${flavour}`, async () => {
      const { Client, StdioClientTransport } = SDKS[flavour] as typeof sdks.v2;
      const client = new Client({ name: 'app', version: '1' });
      await assert.rejects(client.connect(new StdioClientTransport({ command: '/no/such/command' })), {
        code: 'ENOENT',
      });
      assert.deepEqual(
        sdks.observations.map((one) => one.kind),
        ['connection_opened', 'connection_closed'],
      );
    });
  }
});
