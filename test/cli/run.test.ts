// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** `mcp-convergence run`, as built, with real agents and servers in child processes. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startReceiver } from '../../processor/service/receiver.ts';
import { REPOSITORY } from '../support/run-fixture.ts';
import { makeScratch } from '../support/scratch.ts';

const CLI = join(REPOSITORY, 'dist/processor/cli/main.mjs');
const RAW = JSON.stringify(fileURLToPath(new URL('../servers/raw.mjs', import.meta.url)));

interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Started {
  readonly child: ChildProcess;
  readonly result: Promise<Result>;
}

function start(args: readonly string[], env: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const result = new Promise<Result>((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
  return { child, result };
}

const run = (args: readonly string[], env?: Record<string, string>) => start(args, env).result;

/** Writes a program beside the repository's packages, so that its imports resolve. */
function program(source: string, name = 'agent.mjs'): string {
  const file = join(makeScratch(join(REPOSITORY, 'node_modules')), name);
  writeFileSync(file, source);
  return file;
}

const CONNECT = `
  import { Client } from '@modelcontextprotocol/sdk/client/index.js';
  import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
  import { reportInstalledRegistry } from ${JSON.stringify(join(REPOSITORY, 'dist/instrumentation/index.mjs'))};
  const client = new Client({ name: 'agent', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [${RAW}, JSON.stringify({ catalogs: [[{ tools: ['a', 'b'] }], [{ tools: ['a'] }]] })] }));
  const { tools } = await client.listTools();
  reportInstalledRegistry(client, { tools });
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const change = () => client.callTool({ name: 'control', arguments: { swap: 'next', signal: true } });`;

describe('run', () => {
  it('prints verdicts on stderr, leaves stdout byte for byte, and sums up', async () => {
    const agent = program(
      `${CONNECT}\nprocess.stdout.write('one\\0two\\r\\n'); await change(); await sleep(500); await client.close();`,
    );
    const { code, stdout, stderr } = await run(['run', '--grace', '200', '--', process.execPath, agent]);
    assert.equal(code, 0);
    assert.equal(stdout, 'one\0two\r\n');
    assert.match(
      stderr,
      /converged {2}registry_equal {2}server=raw {2}discovered=[0-9a-f]{12} r1 {2}installed=[0-9a-f]{12} r1\n/,
    );
    assert.match(stderr, /stale {2}signal_unanswered .*\n +next: Stop choosing/);
    assert.match(stderr, /1 connection, last verdicts: 1 stale\n$/);
    assert.ok(!stderr.includes('\u001b['), 'no colour where stderr is no terminal');
  });

  it('prints a verdict while the agent still runs', async () => {
    const agent = program(`${CONNECT}\nawait sleep(60000);`);
    const { child, result } = start(['run', '--', process.execPath, agent]);
    await new Promise<void>((resolve) =>
      child.stderr?.on('data', (chunk) => String(chunk).includes('converged') && resolve()),
    );
    child.kill('SIGTERM');
    const { code, stderr } = await result;
    assert.equal(code, 128 + 15, 'the signal reached the agent, and its end is told as shells do');
    assert.match(stderr, /last verdicts: 1 converged/);
  });

  it('writes one JSON object a line with registry names, to a file or to stdout', async () => {
    const agent = program(`${CONNECT}\nawait client.close();`);
    const file = join(makeScratch(), 'verdicts.jsonl');
    await run(['run', '--json', file, '--', process.execPath, agent]);
    const { stdout } = await run(['run', '--json', '-', '--', process.execPath, agent]);
    for (const text of [readFileSync(file, 'utf8'), stdout]) {
      const lines = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.equal(lines.length, 1);
      assert.equal(lines[0]['mcp_convergence.verdict'], 'converged');
      assert.equal(lines[0]['mcp_convergence.reason'], 'registry_equal');
      assert.ok(!Number.isNaN(Date.parse(lines[0].time)));
    }
  });

  it('gets the last verdict of an agent that calls process.exit right after its work', async () => {
    const agent = program(`${CONNECT}\nprocess.exit(7);`);
    const { code, stderr } = await run(['run', '--', process.execPath, agent]);
    assert.equal(code, 7);
    assert.match(stderr, /converged {2}registry_equal/);
    assert.equal(stderr.match(/registry_equal/g)?.length, 1, 'and only once');
  });

  it('gets the last verdict of an agent that dies of an error', async () => {
    const agent = program(`${CONNECT}\nthrow new Error('died');`);
    const { code, stderr } = await run(['run', '--', process.execPath, agent]);
    assert.equal(code, 1);
    assert.match(stderr, /converged {2}registry_equal/);
    assert.match(stderr, /Error: died/);
  });

  it('names the line to add when the host reports nothing', async () => {
    const agent = program(
      `${CONNECT.replace('reportInstalledRegistry(client, { tools });', '')}\nawait client.close();`,
    );
    const { stderr } = await run(['run', '--', process.execPath, agent]);
    assert.match(stderr, /unverifiable {2}installed_unknown/);
    assert.match(stderr, /reportInstalledRegistry\(client, \{ tools \}\)/);
  });

  it('keeps NODE_OPTIONS that are there, and reaches grandchildren', async () => {
    const early = program('globalThis.early = true;', 'early.mjs');
    const inner = program(`${CONNECT}\nif (!globalThis.early) process.exit(9); await client.close();`);
    const outer = program(`import { spawnSync } from 'node:child_process';
      const { status } = spawnSync(process.execPath, [${JSON.stringify(inner)}], { stdio: 'inherit' }); process.exit(status);`);
    const { code, stderr } = await run(['run', '--', process.execPath, outer], {
      NODE_OPTIONS: `--import ${new URL(`file://${early}`).href}`,
    });
    assert.equal(code, 0);
    assert.match(stderr, /converged {2}registry_equal/);
  });

  it('says clearly that no MCP client was seen', async () => {
    const { code, stdout, stderr } = await run(['run', '--', process.execPath, '-e', 'console.log(1)']);
    assert.deepEqual({ code, stdout }, { code: 0, stdout: '1\n' });
    assert.match(stderr, /no MCP client seen/);
  });

  it('forwards everything it receives, headers included', async () => {
    const signals = new Set<string>();
    const target = await startReceiver({ onRaw: ({ signal }) => signals.add(signal) });
    const agent = program(`${CONNECT}\nawait client.close();`);
    const { stderr } = await run(['run', '--otlp', target.url, '--', process.execPath, agent]);
    await target.close();
    assert.deepEqual([...signals].sort(), ['logs', 'metrics', 'traces']);
    assert.match(stderr, /converged/);
  });

  it('goes on when the endpoint to forward to cannot be reached, and says so once', async () => {
    const agent = program(`${CONNECT}\nawait client.close();`);
    const { code, stderr } = await run(['run', '--otlp', 'http://127.0.0.1:9', '--', process.execPath, agent]);
    assert.equal(code, 0);
    assert.match(stderr, /converged/);
    assert.equal(stderr.match(/cannot be reached/g)?.length, 1);
  });

  it('passes the exit code through, and tells a command that does not exist', async () => {
    assert.equal((await run(['run', '--', process.execPath, '-e', 'process.exit(42)'])).code, 42);
    const missing = await run(['run', '--', 'no-such-command-at-all']);
    assert.equal(missing.code, 127);
    assert.match(missing.stderr, /command not found/);
  });

  it('leaves an app with an OpenTelemetry SDK of its own alone', async () => {
    const agent = program(`
      import { trace } from '@opentelemetry/api';
      import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
      const exporter = new InMemorySpanExporter();
      const ok = trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
      trace.getTracer('app').startSpan('mine').end();
      ${CONNECT}
      await client.close();
      console.log(ok, exporter.getFinishedSpans().map((span) => span.name).join());`);
    const { stdout, stderr } = await run(['run', '--', process.execPath, agent]);
    assert.equal(stdout, 'true mine\n');
    assert.match(stderr, /converged/);
  });
});

describe('the command line', () => {
  for (const [args, message] of [
    [[], 'a subcommand is missing'],
    [['frobnicate'], 'no subcommand frobnicate'],
    [['run'], 'give the command to run'],
    [['run', '--'], 'give the command to run'],
    [['run', '--otlp', 'jaeger', '--', 'x'], '--otlp needs an http or https URL'],
    [['run', '--grace', 'soon', '--', 'x'], '--grace needs milliseconds'],
    [['run', '--loud', '--', 'x'], "Unknown option '--loud'"],
    [['run', '--json', '/no/such/dir/file', '--', 'x'], '--json: ENOENT'],
  ] as const) {
    it(`${JSON.stringify(args)} is refused with a reason and the usage`, async () => {
      const { code, stdout, stderr } = await run(args);
      assert.equal(code, 2);
      assert.equal(stdout, '');
      assert.ok(stderr.includes(message), stderr);
      assert.match(stderr, /Usage:/);
    });
  }

  it('tells its version and its usage', async () => {
    const { version } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8'));
    assert.equal((await run(['--version'])).stdout, `${version}\n`);
    assert.match((await run(['--help'])).stdout, /--otlp URL/);
  });
});
