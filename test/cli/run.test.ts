// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** `mcp-convergence run`, as built, with real agents and servers in child processes. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
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

  it('sees an agent that loads register or register-sdk by itself, once', async () => {
    const agent = program(`${CONNECT}\nawait client.close();`);
    for (const entry of ['register', 'register-sdk']) {
      const { code, stderr } = await run(['run', '--', process.execPath, agent], {
        NODE_OPTIONS: `--import ${pathToFileURL(join(REPOSITORY, `dist/${entry}.mjs`)).href}`,
        OTEL_TRACES_EXPORTER: 'none',
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_LOGS_EXPORTER: 'none',
      });
      assert.equal(code, 0);
      assert.equal(stderr.match(/registry_equal/g)?.length, 1, stderr);
    }
  });

  it('outlives a reader of stdout that has gone, and so does the agent', async () => {
    const agent = program(
      `${CONNECT}\nawait sleep(300); await client.close(); process.stderr.write('agent is through\\n');`,
    );
    const { child, result } = start(['run', '--json', '-', '--', process.execPath, agent]);
    child.stdout?.destroy();
    const { code, stderr } = await result;
    assert.equal(code, 0);
    assert.match(stderr, /agent is through\n(.|\n)*last verdicts: 1 converged\n$/);
  });

  it('takes headers that are not well encoded as they stand', async () => {
    const { code, stderr } = await run(['run', '--otlp', 'http://127.0.0.1:9', '--', process.execPath, '-e', '0'], {
      OTEL_EXPORTER_OTLP_HEADERS: 'a=%zz',
    });
    assert.equal(code, 0, stderr);
  });

  it('lets a Node that is too old to be observed run as it is, and says so', async () => {
    const old = program(
      `import module, { syncBuiltinESMExports } from 'node:module'; module.registerHooks = undefined; syncBuiltinESMExports();`,
      'old.mjs',
    );
    const preload = join(REPOSITORY, 'dist/run-preload.mjs');
    const flags = [old, preload].flatMap((file) => ['--import', pathToFileURL(file).href]);
    const child = spawn(process.execPath, [...flags, '-e', 'console.log("as it is")'], {
      env: { ...process.env, NODE_OPTIONS: '', MCP_CONVERGENCE_RUN_ENDPOINT: 'http://127.0.0.1:9' },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
      });
    const code = await new Promise((resolve) => child.on('close', resolve));
    assert.equal(code, 0);
    assert.match(output, /as it is/);
    assert.match(output, /cannot be observed, 22\.15 or later is needed/);
    // A name that an old Node lacks would end it before the check above runs.
    const linked = [...readFileSync(preload, 'utf8').matchAll(/^import .*$/gm)].map(([line]) => line);
    assert.deepEqual(linked, ['import * as nodeModule from "node:module";']);
  });

  it('reports all spans of an app that samples none of its own', async () => {
    const names = new Set<string>();
    const target = await startReceiver({
      onSpans: (spans) => {
        for (const { name } of spans) names.add(name);
      },
    });
    const agent = program(`
      import { trace } from '@opentelemetry/api';
      import { AlwaysOffSampler } from '@opentelemetry/sdk-trace';
      import { NodeSDK } from '@opentelemetry/sdk-node';
      const silent = { onStart() {}, onEnd() {}, async forceFlush() {}, async shutdown() {} };
      new NodeSDK({ sampler: new AlwaysOffSampler(), spanProcessors: [silent], instrumentations: [] }).start();
      await trace.getTracer('app').startActiveSpan('outer', async () => { ${CONNECT.replace(/import \{(.*)\} from (.*);/g, 'const {$1} = await import($2);')} await client.close(); });`);
    const { code } = await run(['run', '--otlp', target.url, '--', process.execPath, agent], {
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
    });
    await target.close();
    assert.equal(code, 0);
    assert.ok(names.has('tools/list') && names.has('mcp_convergence.traversal'), [...names].join());
  });

  it('has nothing sent, and so nothing waited for, by a process without MCP', async () => {
    const signals: string[] = [];
    const target = await startReceiver({ onRaw: ({ signal }) => signals.push(signal) });
    const preload = pathToFileURL(join(REPOSITORY, 'dist/run-preload.mjs')).href;
    const child = spawn(process.execPath, ['--import', preload, '-e', '0'], {
      env: { ...process.env, NODE_OPTIONS: '', MCP_CONVERGENCE_RUN_ENDPOINT: target.url },
      stdio: 'inherit',
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    await target.close();
    assert.deepEqual({ code, signals }, { code: 0, signals: [] });
  });

  it('at a terminal lets Ctrl-C reach the agent once, and sums up', async (test) => {
    const agent = program(`
      let count = 0;
      process.on('SIGINT', () => { count += 1; });
      console.log('ready');
      setTimeout(() => { console.log('interrupted ' + count + ' times'); process.exit(3); }, 1000);`);
    const words = [process.execPath, CLI, 'run', '--', process.execPath, agent].map((word) => `'${word}'`);
    // `exec`, or a shell that Ctrl-C reaches as well may answer with an exit code of its own.
    const command = `exec ${words.join(' ')}`;
    const child = spawn('script', ['-qec', command, '/dev/null'], { env: { ...process.env, NODE_OPTIONS: '' } });
    let output = '';
    child.stdout.on('data', (chunk) => {
      if (!output.includes('ready') && String(chunk).includes('ready')) child.stdin.write('\u0003');
      output += chunk;
    });
    const code = await new Promise((resolve) => {
      child.on('error', () => resolve(undefined));
      child.on('close', resolve);
    });
    if (code === undefined) return test.skip('no script command here, which makes a terminal');
    assert.match(output, /interrupted 1 times/);
    assert.match(output, /no MCP client seen/);
    assert.equal(code, 3);
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
    [['run', '--', ''], 'give the command to run'],
    [['run', '--otlp', 'jaeger', '--', 'x'], '--otlp needs an http or https URL'],
    [['run', '--grace', 'soon', '--', 'x'], '--grace needs milliseconds'],
    [['run', '--loud', '--', 'x'], "Unknown option '--loud'"],
    [['run', '--json', '/no/such/dir/file', '--', 'x'], '--json: ENOENT'],
  ] as const) {
    it(`${JSON.stringify(args)} is refused with a reason and the usage`, async () => {
      const { code, stdout, stderr } = await run(args);
      assert.equal(code, 64);
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
