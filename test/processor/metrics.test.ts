// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { EngineRunner } from '../../processor/engine-runner.ts';
import { REASONS } from '../../semconv/index.ts';
import { Story } from '../core/story.ts';

function collect() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const meterProvider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
  });
  const read = async (name: string) => {
    await meterProvider.forceFlush();
    const exported =
      exporter
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap(({ metrics: list }) => list) ?? [];
    return exported.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
  };
  return { meterProvider, read };
}

describe('the metrics of verdicts', () => {
  it('exist at zero for every verdict and reason before anything happens', async () => {
    const { meterProvider, read } = collect();
    new EngineRunner({ providers: { meterProvider } });
    const points = await read('mcp_convergence.verdicts');
    assert.equal(points.length, Object.keys(REASONS).length);
    assert.ok(points.every(({ value }) => value === 0));
  });

  it('exist at zero before the first verdict where the SDK is registered after us', async () => {
    const runner = new EngineRunner();
    const { meterProvider, read } = collect();
    metrics.setGlobalMeterProvider(meterProvider);
    const story = new Story();
    story.nowMs = Date.now();
    for (const observation of story.open().observations) runner.observe(observation);
    const points = await read('mcp_convergence.verdicts');
    metrics.disable();
    assert.equal(points.length, Object.keys(REASONS).length);
    assert.ok(points.every(({ value }) => value === 0));
  });

  it('count verdicts and stale calls, time convergence, and show how connections stand now', async () => {
    const { meterProvider, read } = collect();
    const runner = new EngineRunner({ limits: { graceMs: 0 }, providers: { meterProvider } });
    const story = new Story();
    story.nowMs = Date.now();
    story.open().list(['a']).install(['a']).signal().call('a').list(['a']);
    // The same signal, answered long ago, is no second convergence.
    story.tell({ kind: 'coverage', state: 'closed', channel: 'pipe' });
    story.tell({ kind: 'coverage', state: 'opened', channel: 'pipe' }).list(['a']);
    for (const observation of story.observations) runner.observe(observation);
    const counted = await read('mcp_convergence.verdicts');
    const countOf = (reason: string) =>
      counted.find(({ attributes }) => attributes['mcp_convergence.reason'] === reason)?.value;
    assert.equal(countOf('registry_equal'), 3);
    assert.equal(countOf('signal_unanswered'), 1);
    assert.equal((await read('mcp_convergence.stale_calls'))[0]?.value, 1);
    const [lag] = await read('mcp_convergence.signal.convergence.duration');
    assert.partialDeepStrictEqual(lag?.value, { count: 1 });
    const standing = await read('mcp_convergence.connections');
    const live = Object.fromEntries(
      standing.map(({ attributes, value }) => [attributes['mcp_convergence.verdict'], value]),
    );
    assert.deepEqual(live, { converged: 1, stale: 0, incomplete: 0, unverifiable: 0 });
    runner.observe({} as never);
    assert.equal((await read('mcp_convergence.observations.dropped'))[0]?.value, 1);
  });
});
