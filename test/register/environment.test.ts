// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** One group per environment variable and option: what it does, unset, set, and set to nonsense. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '../../instrumentation/config.ts';
import { McpInstrumentation } from '../../instrumentation/index.ts';
import { readPairs } from '../../processor/key-value-list.ts';
import { readEnvironment } from '../../register/environment.ts';
import { readDestination } from '../../register/otlp-destination.ts';
import { ROOT } from '../support/cached-install.ts';
import { runObserved } from '../support/observed-run.ts';
import { runProgram } from '../support/run-program.ts';
import { AGENT, writeProgram } from '../support/small-agent.ts';

const CLOSE = 'await client.close();';

for (const variable of ['OTEL_SDK_DISABLED', 'MCP_CONVERGENCE_DISABLED']) {
  describe(variable, () => {
    it('set to true leaves the process as it is', async () => {
      const agent = writeProgram(
        `${AGENT} console.log(Client.prototype.connect === Client.prototype.connect.valueOf(), Reflect.has(Client.prototype.connect, Symbol.for('mcp-convergence.patched'))); ${CLOSE}`,
      );
      const { code, stdout, spans } = await runObserved([agent], { env: { [variable]: 'true' } });
      assert.equal(code, 0);
      assert.equal(stdout, 'true false\n');
      assert.deepEqual(spans, []);
    });

    it('unset, false or nonsense changes nothing', () => {
      for (const value of [undefined, '', 'false', 'FALSE', 'yes', '1'])
        assert.equal(readEnvironment({ [variable]: value }).disabled, false);
      for (const value of ['true', 'TRUE', ' true '])
        assert.equal(readEnvironment({ [variable]: value }).disabled, true);
    });
  });
}

describe('MCP_CONVERGENCE_GRACE_MS', () => {
  it('is how long a signal may stay unanswered', async () => {
    const agent = writeProgram(`${AGENT} await change(); await sleep(600); ${CLOSE}`);
    const short = await runObserved([agent], { env: { MCP_CONVERGENCE_GRACE_MS: '100' } });
    assert.deepEqual(short.judged, ['converged/registry_equal', 'stale/signal_unanswered']);
    const long = await runObserved([agent], { env: { MCP_CONVERGENCE_GRACE_MS: '60000' } });
    assert.deepEqual(long.judged, ['converged/registry_equal', 'unverifiable/ended_within_grace']);
  });

  it('is ignored when it is no number of milliseconds', () => {
    for (const value of ['', 'soon', '-1', '3600001', 'NaN'])
      assert.deepEqual(readEnvironment({ MCP_CONVERGENCE_GRACE_MS: value }).limits, {});
    assert.deepEqual(readEnvironment({ MCP_CONVERGENCE_GRACE_MS: '0' }).limits, { graceMs: 0 });
  });
});

describe('MCP_CONVERGENCE_TRAVERSAL_TIMEOUT_MS and traversalTimeoutMs', () => {
  it('say when a walk with a cursor left is given up; the option wins', () => {
    const env = { MCP_CONVERGENCE_TRAVERSAL_TIMEOUT_MS: '200' };
    assert.equal(resolveConfig({}, {}).traversalTimeoutMs, 5000);
    assert.equal(resolveConfig({}, env).traversalTimeoutMs, 200);
    assert.equal(resolveConfig({ traversalTimeoutMs: 300 }, env).traversalTimeoutMs, 300);
  });

  it('are ignored in the environment and refused in code when they make no sense', () => {
    for (const value of ['0', 'x', '3600001'])
      assert.equal(resolveConfig({}, { MCP_CONVERGENCE_TRAVERSAL_TIMEOUT_MS: value }).traversalTimeoutMs, 5000);
    for (const value of [0, -1, Number.NaN, 3_600_001])
      assert.throws(() => new McpInstrumentation({ traversalTimeoutMs: value }), TypeError);
  });

  it('end the walk of a real process', async () => {
    const agent = writeProgram(
      `${AGENT.replace("[[{ tools: ['a', 'b'] }], [{ tools: ['a'] }]]", "[[{ tools: ['a'], nextCursor: '2' }, { cursor: '2', tools: ['b'] }]]")} await sleep(700); ${CLOSE}`,
    );
    const { of, judged } = await runObserved([agent], { env: { MCP_CONVERGENCE_TRAVERSAL_TIMEOUT_MS: '200' } });
    assert.deepEqual(
      of('traversal').map((one) => one['mcp_convergence.traversal.outcome']),
      ['abandoned'],
    );
    assert.deepEqual(judged, ['incomplete/cursor_left']);
  });
});

describe('MCP_CONVERGENCE_PROPAGATION and propagation', () => {
  const metaOf = async (env: Record<string, string>) => {
    const wire = writeProgram('', 'wire');
    const agent = writeProgram(
      AGENT.replace('args: [', `env: { MCP_TEST_WIRE: ${JSON.stringify(wire)} }, args: [`) +
        `await client.callTool({ name: 'a' }); ${CLOSE}`,
    );
    await runObserved([agent], { env });
    const { readFileSync } = await import('node:fs');
    const sent = readFileSync(wire, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('in '));
    return sent
      .map((line) => JSON.parse(line.slice(3)))
      .filter((frame) => frame.params?._meta?.traceparent)
      .map((frame) => frame.method);
  };

  it('all, the default, puts trace context on every request and notification', async () => {
    assert.deepEqual(await metaOf({}), ['initialize', 'notifications/initialized', 'tools/list', 'tools/call']);
  });

  it('calls puts it on requests that do work, off on none', async () => {
    assert.deepEqual(await metaOf({ MCP_CONVERGENCE_PROPAGATION: 'calls' }), ['tools/call']);
    assert.deepEqual(await metaOf({ MCP_CONVERGENCE_PROPAGATION: 'off' }), []);
  });

  it('is ignored in the environment and refused in code when it is another word; the option wins', () => {
    assert.equal(resolveConfig({}, { MCP_CONVERGENCE_PROPAGATION: 'some' }).propagation, 'all');
    assert.equal(resolveConfig({ propagation: 'off' }, { MCP_CONVERGENCE_PROPAGATION: 'calls' }).propagation, 'off');
    assert.throws(() => new McpInstrumentation({ propagation: 'some' as never }), TypeError);
  });
});

describe('enabled', () => {
  it('false waits for enable()', () => {
    const instrumentation = new McpInstrumentation({ enabled: false });
    assert.deepEqual(instrumentation.getConfig(), { enabled: false });
    assert.equal(instrumentation.instrumentationName, 'mcp-convergence');
  });
});

describe('MCP_CONVERGENCE_RUN_ENDPOINT', () => {
  const preload = pathToFileURL(join(ROOT, 'dist/run-preload.mjs')).href;

  it('unset makes the preload of run do nothing', async () => {
    const { code, stdout, stderr } = await runProgram([writeProgram(`${AGENT} ${CLOSE} console.log('done');`)], {
      nodeFlags: ['--import', preload],
    });
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: 'done\n', stderr: '' });
  });

  it('that nobody answers breaks and delays nothing', async () => {
    const agent = writeProgram(
      `${AGENT} ${CLOSE} const done = performance.now(); process.on('exit', () => console.log(performance.now() - done));`,
    );
    const { code, stdout, stderr } = await runProgram([agent], {
      nodeFlags: ['--import', preload],
      env: { MCP_CONVERGENCE_RUN_ENDPOINT: 'http://127.0.0.1:9' },
    });
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.ok(Number(stdout) < 2500, stdout);
  });
});

describe('OTEL_EXPORTER_OTLP_* at the very end of a process', () => {
  it('say where the last verdicts go, as the specification builds URLs', () => {
    assert.partialDeepStrictEqual(readDestination({}), {
      logs: { url: 'http://localhost:4318/v1/logs' },
      traces: { url: 'http://localhost:4318/v1/traces' },
    });
    const own = readDestination({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://a/',
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'https://b/custom',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=a%20b, y=2',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'y=3',
      OTEL_LOGS_EXPORTER: '',
      OTEL_TRACES_EXPORTER: 'console, otlp',
      OTEL_SERVICE_NAME: 'svc',
      OTEL_RESOURCE_ATTRIBUTES: 'k=v,service.name=other',
    });
    assert.deepEqual(own.logs, { url: 'https://b/custom', headers: { 'x-team': 'a b', y: '2' } });
    assert.deepEqual(own.traces, { url: 'https://a/v1/traces', headers: { 'x-team': 'a b', y: '3' } });
    assert.partialDeepStrictEqual(own.resource, { 'service.name': 'svc', k: 'v' });
    assert.deepEqual(readPairs('bad, =x, a=%zz'), { a: '%zz' });
  });

  it('leave out what is not exported over HTTP', () => {
    const { logs, traces } = readDestination({
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc',
    });
    assert.deepEqual([logs, traces], [undefined, undefined]);
  });
});
