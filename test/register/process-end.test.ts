// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** However a process ends, its last verdicts are out, and it ends as it would have. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../support/cached-install.ts';
import { runObserved } from '../support/observed-run.ts';
import { startOtlpSink } from '../support/otlp-sink.ts';
import { AGENT, writeProgram } from '../support/small-agent.ts';

const CONVERGED = ['converged/registry_equal'];

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
