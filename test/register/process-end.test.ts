// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** However a process ends, its last verdicts are out, and it ends as it would have. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { isNode } from '../../register/outbox.ts';
import { ROOT } from '../support/cached-install.ts';
import { runObserved } from '../support/observed-run.ts';
import { startOtlpSink } from '../support/otlp-sink.ts';
import { AGENT, writeProgram } from '../support/small-agent.ts';

const CONVERGED = ['converged/registry_equal'];
const NO_EXPORT = { OTEL_TRACES_EXPORTER: 'console', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' };

describe('register-sdk', () => {
  it('exports spans, verdict events, verdict spans and metrics of an app that has no SDK', async () => {
    const { code, spans, judged } = await runObserved([writeProgram(`${AGENT} await client.close();`)]);
    assert.equal(code, 0);
    assert.deepEqual(judged, CONVERGED);
    for (const name of ['initialize', 'tools/list', 'mcp_convergence.traversal', 'mcp_convergence.verdict']) {
      assert.ok(
        spans.some((span) => span.name === name),
        name,
      );
    }
  });

  for (const [how, code, more] of [
    ['process.exit(0)', 0, 'process.exit(0);'],
    ['process.exit(5)', 5, 'process.exit(5);'],
    ['an error that nobody catches', 1, 'throw new Error("x");'],
    ['a rejection that nobody handles', 1, 'void Promise.reject(new Error("x")); await sleep(50);'],
  ] as const) {
    it(`gets the last verdict out when the app ends by ${how}`, async () => {
      const run = await runObserved([writeProgram(`${AGENT} ${more}`)]);
      assert.equal(run.code, code);
      assert.deepEqual(run.judged, CONVERGED);
      assert.ok(run.spans.some((span) => span.name === 'mcp_convergence.verdict'));
    });
  }

  for (const format of ['--import', '--require'] as const) {
    it(`loads by ${format}`, async () => {
      const sink = await startOtlpSink();
      const file = join(ROOT, `dist/register-sdk.${format === '--import' ? 'mjs' : 'cjs'}`);
      const child = spawn(
        process.execPath,
        [
          format,
          format === '--import' ? pathToFileURL(file).href : file,
          writeProgram(`${AGENT} await client.close();`),
        ],
        {
          env: { ...process.env, ...sink.env },
          stdio: 'ignore',
        },
      );
      await new Promise((resolve) => child.on('close', resolve));
      await sink.until(() => sink.logs.some((log) => log.eventName === 'mcp_convergence.verdict'));
      await sink.close();
    });
  }

  it('loaded twice, by --require and by --import, starts one SDK', async () => {
    const flags = [
      '--require',
      join(ROOT, 'dist/register-sdk.cjs'),
      '--import',
      pathToFileURL(join(ROOT, 'dist/register-sdk.mjs')).href,
    ];
    const child = spawn(process.execPath, [...flags, '-e', '0'], {
      env: { ...process.env, ...NO_EXPORT, OTEL_LOG_LEVEL: 'error' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
      });
    await new Promise((resolve) => child.on('close', resolve));
    assert.equal(output, '');
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`gets the last verdict out on ${signal}, and the process still dies of it`, async () => {
      const sink = await startOtlpSink();
      const file = pathToFileURL(join(ROOT, 'dist/register-sdk.mjs')).href;
      const agent = writeProgram(`${AGENT} console.log('ready'); await sleep(60000);`);
      const child = spawn(process.execPath, ['--import', file, agent], {
        env: { ...process.env, ...sink.env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      child.stdout.once('data', () => child.kill(signal));
      const [code, died] = await new Promise<[number | null, string | null]>((resolve) =>
        child.on('close', (...end) => resolve(end)),
      );
      assert.deepEqual([code, died], [null, signal]);
      assert.ok(sink.logs.some((log) => log.eventName === 'mcp_convergence.verdict'));
      await sink.close();
    });
  }

  it('leaves a signal to an app that handles it', async () => {
    const agent = writeProgram(
      `${AGENT} process.on('SIGTERM', async () => { await sleep(50); await client.close(); process.exit(3); }); console.log('ready'); await sleep(60000);`,
    );
    const sink = await startOtlpSink();
    const file = pathToFileURL(join(ROOT, 'dist/register-sdk.mjs')).href;
    const child = spawn(process.execPath, ['--import', file, agent], {
      env: { ...process.env, ...sink.env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.once('data', () => child.kill('SIGTERM'));
    const code = await new Promise((resolve) => child.on('close', resolve));
    assert.equal(code, 3);
    assert.ok(sink.logs.some((log) => log.eventName === 'mcp_convergence.verdict'));
    await sink.close();
  });
});

describe('an app that handles signals itself', () => {
  for (const entry of ['register', 'register-sdk']) {
    it(`dies of SIGINT under ${entry} where its handler ends the process only when it is alone, as signal-exit does`, async () => {
      const agent = writeProgram(`
        const mine = () => {
          if (process.listenerCount('SIGINT') > 1) return;
          process.removeListener('SIGINT', mine);
          process.kill(process.pid, 'SIGINT');
        };
        process.on('SIGINT', mine);
        console.log('ready');
        setTimeout(() => {}, 5000);`);
      const file = pathToFileURL(join(ROOT, `dist/${entry}.mjs`)).href;
      const child = spawn(process.execPath, ['--import', file, agent], {
        env: { ...process.env, ...NO_EXPORT },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      child.stdout.once('data', () => child.kill('SIGINT'));
      const end = await new Promise((resolve) => child.on('close', (...both) => resolve(both)));
      assert.deepEqual(end, [null, 'SIGINT']);
    });
  }

  it('goes on after it, and what it does then is exported', async () => {
    const agent = writeProgram(`
      import { trace } from '@opentelemetry/api';
      process.on('SIGHUP', () => console.log('reloaded'));
      const hang = () => { process.kill(process.pid, 'SIGHUP'); };
      setTimeout(hang, 50);
      setTimeout(hang, 300);
      setTimeout(() => trace.getTracer('app').startSpan('after the reload').end(), 600);`);
    const { code, stdout, spans } = await runObserved([agent]);
    assert.deepEqual({ code, stdout }, { code: 0, stdout: 'reloaded\nreloaded\n' });
    assert.deepEqual(
      spans.map(({ name }) => name),
      ['after the reload'],
    );
  });

  it('once, dies of the second signal as it would have, and what was pending by then is decided', async () => {
    const agent = writeProgram(`${AGENT}
      process.once('SIGTERM', () => console.log('once'));
      await change();
      process.kill(process.pid, 'SIGTERM');
      await sleep(300);
      console.log('alive');
      process.kill(process.pid, 'SIGTERM');
      await sleep(4000);
      console.log('too long');`);
    const { code, stdout, judged } = await runObserved([agent], { env: { MCP_CONVERGENCE_GRACE_MS: '60000' } });
    assert.deepEqual({ code, stdout }, { code: null, stdout: 'once\nalive\n' });
    assert.deepEqual(judged, [...CONVERGED, 'unverifiable/ended_within_grace']);
  });
});

describe('the post at the very end', () => {
  it('is made only by a program that is Node, which others would start once more', () => {
    for (const name of ['node', '/usr/bin/nodejs', 'node.exe', 'node22', '/opt/node-v24/bin/node'])
      assert.ok(isNode(name), name);
    for (const name of ['/opt/my-agent', 'electron', 'node-agent', 'bun', 'Code Helper'])
      assert.ok(!isNode(name), name);
  });
});

describe('register-sdk in a process that speaks no MCP', () => {
  it('does not hold it up for a collector that never answers', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const file = pathToFileURL(join(ROOT, 'dist/register-sdk.mjs')).href;
    const child = spawn(process.execPath, ['--import', file, '-e', '0'], {
      env: { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_TIMEOUT: '30000' },
      stdio: 'ignore',
      timeout: 20_000,
    });
    assert.equal(await new Promise((resolve) => child.on('close', resolve)), 0);
    silent.closeAllConnections();
    await new Promise((resolve) => silent.close(resolve));
  });
});

describe('register', () => {
  const OWN_SDK = `
    import { trace, metrics, logs } from '@opentelemetry/api';
    import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
    import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
    const exporter = new InMemorySpanExporter();
    const logExporter = new InMemoryLogRecordExporter();
    trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
    logs.setGlobalLoggerProvider(new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter: logExporter })] }));
    process.on('exit', () => {
      console.log(exporter.getFinishedSpans().map(({ name }) => name).filter((name) => /traversal|verdict/.test(name)).join());
      console.log(logExporter.getFinishedLogRecords().map((record) => record.attributes['mcp_convergence.reason']).join());
    });`;

  for (const [format, order] of [
    ['--import', 'before'],
    ['--require', 'before'],
  ] as const) {
    it(`speaks through the SDK of the app, loaded by ${format}, although it was there ${order} it`, async () => {
      const file = join(ROOT, `dist/register.${format === '--import' ? 'mjs' : 'cjs'}`);
      const agent = writeProgram(`${OWN_SDK} ${AGENT} await client.close();`);
      const child = spawn(process.execPath, [format, format === '--import' ? pathToFileURL(file).href : file, agent], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let stdout = '';
      child.stdout.on('data', (chunk) => {
        stdout += chunk;
      });
      await new Promise((resolve) => child.on('close', resolve));
      assert.equal(stdout, 'mcp_convergence.traversal,mcp_convergence.verdict\nregistry_equal\n');
    });
  }

  it('loaded twice, by --import and by --require, gives every verdict once', async () => {
    const flags = [
      '--require',
      join(ROOT, 'dist/register.cjs'),
      '--import',
      pathToFileURL(join(ROOT, 'dist/register.mjs')).href,
    ];
    const child = spawn(process.execPath, [...flags, writeProgram(`${OWN_SDK} ${AGENT} await client.close();`)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let stdout = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    await new Promise((resolve) => child.on('close', resolve));
    assert.equal(stdout, 'mcp_convergence.traversal,mcp_convergence.verdict\nregistry_equal\n');
  });

  it('has the batches of the app exported, spans and events, before a signal ends it', async () => {
    const agent = writeProgram(`
      import { logs, trace } from '@opentelemetry/api';
      import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
      import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
      import { writeSync } from 'node:fs';
      const exporter = {
        export(items, done) {
          for (const { name, eventName } of items) if (/verdict/.test(name ?? eventName)) writeSync(1, (name ? 'span' : 'event') + '\\n');
          done({ code: 0 });
        },
        async forceFlush() {},
        async shutdown() {},
      };
      trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] }));
      logs.setGlobalLoggerProvider(new LoggerProvider({ processors: [new BatchLogRecordProcessor({ exporter })] }));
      ${AGENT} process.kill(process.pid, 'SIGTERM'); await sleep(5000);`);
    const file = pathToFileURL(join(ROOT, 'dist/register.mjs')).href;
    const child = spawn(process.execPath, ['--import', file, agent], { stdio: ['ignore', 'pipe', 'inherit'] });
    let stdout = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    const [, signal] = await new Promise<unknown[]>((resolve) => child.on('close', (...both) => resolve(both)));
    assert.equal(signal, 'SIGTERM');
    assert.deepEqual(stdout.trim().split('\n').sort(), ['event', 'span']);
  });

  it('in an app without any SDK costs a warning to nobody and changes nothing', async () => {
    const file = pathToFileURL(join(ROOT, 'dist/register.mjs')).href;
    const child = spawn(
      process.execPath,
      ['--import', file, writeProgram(`${AGENT} await client.close(); console.log('done');`)],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    const code = await new Promise((resolve) => child.on('close', resolve));
    assert.deepEqual({ code, output }, { code: 0, output: 'done\n' });
  });
});
