// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The ways in which hooking the MCP SDKs is known to go wrong, each as a test. */

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { isTarget } from '../../instrumentation/load-hooks.ts';
import { REPOSITORY, runFixture } from '../support/run-fixture.ts';

const RAW = JSON.stringify(join(REPOSITORY, 'test/servers/raw.mjs'));
const PLAN = `JSON.stringify({ pages: [{ tools: ['a'], nextCursor: '2' }, { cursor: '2', tools: ['b'] }] })`;

/** An ordinary app: connect, walk the list, call, close. */
const APP = {
  'v1 mjs': `import { Client } from '@modelcontextprotocol/sdk/client/index.js';
    import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';`,
  'v1 cjs': `const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');`,
  'v2 mjs': `import { Client } from '@modelcontextprotocol/client';
    import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';`,
  'v2 cjs': `const { Client } = require('@modelcontextprotocol/client');
    const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio');`,
} as const;
const BODY = `
  async function main() {
    const client = new Client({ name: 'app', version: '1' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [${RAW}, ${PLAN}] }));
    let cursor;
    do { cursor = (await client.listTools(cursor === undefined ? {} : { cursor })).nextCursor; } while (cursor !== undefined);
    await client.callTool({ name: 'a' });
    await client.close();
    console.log('done');
  }
  main();`;

const kinds = (observations: readonly { kind: string }[]) => observations.map((one) => one.kind).join(' ');

describe('loading', () => {
  for (const flavour of Object.keys(APP) as (keyof typeof APP)[]) {
    it(`needs nothing but the preload for an app with SDK ${flavour}, and leaves its output alone`, async () => {
      const [, type] = flavour.split(' ') as [string, 'mjs' | 'cjs'];
      const source = APP[flavour] + BODY;
      const run = await runFixture({ source, type });
      const bare = await runFixture({ source, type, preload: false });
      assert.deepEqual(
        { code: run.code, stdout: run.stdout, stderr: run.stderr },
        bare.code === 0 ? { code: 0, stdout: bare.stdout, stderr: bare.stderr } : {},
      );
      assert.match(
        kinds(run.observations),
        /^connection_opened handshake coverage .*traversal.* call .*connection_closed$/,
      );
      assert.deepEqual(run.warnings, []);
    });
  }

  it('names a CommonJS SDK that was loaded first, and still sees connections made later', async () => {
    const source = `${APP['v1 cjs']}
      import(process.env.PRELOAD).then(() => { ${BODY} });`;
    const PRELOAD = new URL('../fixtures/observe-preload.ts', import.meta.url).href;
    const run = await runFixture({ source, type: 'cjs', preload: false, env: { PRELOAD } });
    assert.equal(run.warnings.filter((text) => text.includes('was loaded before')).length, 1);
    assert.match(kinds(run.observations), /traversal/);
  });

  it('says that an ES module SDK was loaded first as soon as it is imported again', async () => {
    const source = `import '@modelcontextprotocol/sdk/client/index.js';
      await import(process.env.PRELOAD);
      await import('@modelcontextprotocol/sdk/client/index.js');
      await new Promise((resolve) => setTimeout(resolve, 20));`;
    const PRELOAD = new URL('../fixtures/observe-preload.ts', import.meta.url).href;
    const run = await runFixture({ source, preload: false, env: { PRELOAD } });
    assert.equal(run.warnings.filter((text) => text.includes('was loaded before')).length, 1);
  });

  it('works in a worker thread, which runs the preload itself', async () => {
    const source = `import { Worker, isMainThread } from 'node:worker_threads';
      import { fileURLToPath } from 'node:url';
      ${APP['v1 mjs']}
      ${BODY.replace('main();', '')}
      if (isMainThread) new Worker(fileURLToPath(import.meta.url)); else main();`;
    const run = await runFixture({ source });
    assert.equal(run.stdout, 'done\n');
    assert.match(kinds(run.observations), /traversal/);
  });

  it('touches only the files that define client classes', () => {
    const at = (path: string) => isTarget(`file:///app/node_modules/${path}`);
    assert.ok(at('@modelcontextprotocol/sdk/dist/esm/client/index.js'));
    assert.ok(at('@modelcontextprotocol/sdk/dist/cjs/client/streamableHttp.js?v=1'));
    assert.ok(at('.pnpm/@modelcontextprotocol+client@2.4.0/node_modules/@modelcontextprotocol/client/dist/index.cjs'));
    assert.ok(!at('@modelcontextprotocol/sdk/dist/esm/server/index.js'));
    assert.ok(!at('@modelcontextprotocol/server/dist/index.mjs'));
    assert.ok(!at('other/dist/index.mjs'));
    assert.ok(!isTarget('node:fs'));
    assert.ok(!isTarget('file:///somewhere/else/dist/index.mjs'));
  });

  it('recognises an SDK linked in from outside node_modules', async () => {
    const linked = mkdtempSync(join(tmpdir(), 'linked-sdk-'));
    cpSync(join(REPOSITORY, 'node_modules/@modelcontextprotocol/client'), linked, { recursive: true });
    symlinkSync(join(REPOSITORY, 'node_modules'), join(linked, 'node_modules'));
    const run = await runFixture({
      source:
        APP['v2 mjs']
          .replaceAll("'@modelcontextprotocol/client'", `'${linked}/dist/index.mjs'`)
          .replaceAll("'@modelcontextprotocol/client/stdio'", `'${linked}/dist/stdio.mjs'`) + BODY,
    });
    assert.equal(run.stdout, 'done\n');
    assert.match(kinds(run.observations), /traversal/);
  });

  it('survives a second loader hook that wraps the same modules', async () => {
    const hook = join(mkdtempSync(join(tmpdir(), 'hook-')), 'hook.mjs');
    writeFileSync(
      hook,
      `import { registerHooks } from 'node:module';
       registerHooks({ load(url, context, next) {
         if (!url.includes('/@modelcontextprotocol/') || url.includes('?wrapped')) return next(url, context);
         const loaded = next(url, context);
         if (loaded.format !== 'module') return loaded;
         return { ...loaded, source: String(typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source)) + ';/* other */' };
       } });`,
    );
    for (const nodeArgs of [['--import', hook]]) {
      const run = await runFixture({ source: APP['v2 mjs'] + BODY, nodeArgs });
      assert.equal(run.stdout, 'done\n');
      assert.equal(run.observations.filter((one) => one.kind === 'connection_opened').length, 1);
    }
  });
});

describe('what cannot be hooked', () => {
  /** A hand-written client: no SDK, a transport of its own. */
  const HAND_WRITTEN = `
    import { spawn } from 'node:child_process';
    import { createInterface } from 'node:readline';
    class Transport {
      async start() {
        this.child = spawn(process.execPath, [${RAW}, ${PLAN}], { stdio: ['pipe', 'pipe', 'inherit'] });
        createInterface({ input: this.child.stdout }).on('line', (line) => this.onmessage?.(JSON.parse(line)));
        this.child.on('close', () => this.onclose?.());
      }
      async send(message) { this.child.stdin.write(JSON.stringify(message) + '\\n'); }
      async close() { this.child.stdin.end(); }
    }
    async function converse(transport) {
      const waiting = new Map();
      transport.onmessage = (message) => waiting.get(message.id)?.(message.result);
      transport.onclose = () => console.log('done');
      await transport.start();
      let id = 0;
      const ask = (method, params) => new Promise((resolve) => { waiting.set(++id, resolve); transport.send({ jsonrpc: '2.0', id, method, params }); });
      await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } });
      await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      const page = await ask('tools/list', {});
      await ask('tools/list', { cursor: page.nextCursor });
      await transport.close();
    }`;

  it('is noticed when it starts an MCP server, and the way out is named once', async () => {
    const run = await runFixture({
      source: `${HAND_WRITTEN}\nawait converse(new Transport()); await converse(new Transport());`,
    });
    assert.equal(run.stdout, 'done\ndone\n');
    assert.deepEqual(run.observations, []);
    assert.equal(run.warnings.length, 1);
    assert.match(run.warnings[0] ?? '', /instrumentTransport/);
  });

  it('is seen in full through instrumentTransport, and twice is the same as once', async () => {
    const entry = new URL('../../instrumentation/index.ts', import.meta.url).href;
    const run = await runFixture({
      source: `import { instrumentTransport } from '${entry}';
        ${HAND_WRITTEN}
        const transport = new Transport();
        if (instrumentTransport(instrumentTransport(transport)) !== transport) throw new Error('another object');
        await converse(transport);`,
    });
    assert.equal(run.stdout, 'done\n');
    assert.deepEqual(run.warnings, []);
    assert.match(
      kinds(run.observations),
      /^connection_opened handshake operation operation operation traversal connection_closed$/,
    );
  });

  it('is not confused with a child process that speaks something else', async () => {
    const run = await runFixture({
      source: `import { spawn } from 'node:child_process';
        const child = spawn('cat', { stdio: ['pipe', 'inherit', 'inherit'] });
        const own = Object.hasOwn(child.stdin, 'write');
        child.stdin.write('hello ');
        child.stdin.end('world');
        child.on('close', () => console.log(own === Object.hasOwn(child.stdin, 'write') ? '' : 'changed'));`,
    });
    assert.match(run.stdout, /^hello world/);
    assert.deepEqual(run.warnings, []);
  });
});
