// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** One run, seen in process and through finished spans: the same observations, the same verdicts. */

import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { after, beforeEach, describe, it } from 'node:test';
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import {
  AlwaysOffSampler,
  createAlwaysRecordSampler,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { reportInstalledRegistry } from '../../instrumentation/index.ts';
import { hasInProcessVerdicts, startInProcessVerdicts } from '../../processor/in-process.ts';
import { ConvergenceSpanProcessor } from '../../processor/index.ts';
import { decodeVerdict, OBSERVATION_CHANNEL, type Verdict } from '../../semconv/index.ts';
import { observeSdks } from '../support/observed-sdks.ts';
import { SAMPLES } from '../support/sample-observations.ts';
import { pages, ScriptedPeer, tool } from '../support/scripted-peer.ts';

const sdks = await observeSdks({ traversalTimeoutMs: 50 });
const limits = { graceMs: 100 };

after(() => sdks.instrumentation.disable());
beforeEach(() => sdks.reset());

/** Verdict events into memory, apart from every other provider. */
function collect() {
  const exporter = new InMemoryLogRecordExporter();
  const loggerProvider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] });
  const spanExporter = new InMemorySpanExporter();
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spanExporter })] });
  const records = () =>
    exporter.getFinishedLogRecords().filter((record) => record.eventName === 'mcp_convergence.verdict');
  return {
    providers: { loggerProvider, tracerProvider },
    spans: () => spanExporter.getFinishedSpans(),
    records,
    verdicts: () =>
      records().map((record) => decodeVerdict(record.attributes as Record<string, unknown>, 0) as Verdict),
  };
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** An agent that goes through most of what there is: paging, a signal, a refresh, a stale registry, a call, a close. */
async function agent(): Promise<void> {
  const [mine, theirs] = sdks.v1.InMemoryTransport.createLinkedPair();
  const peer = new ScriptedPeer(theirs as never, {
    'tools/list': pages([tool('a')], [tool('b')]),
    'tools/call': () => ({ content: [] }),
  });
  await peer.start();
  const client = new sdks.v1.Client({ name: 'agent', version: '1' });
  await client.connect(mine);
  const list = async () => {
    const first = await client.listTools();
    const second = await client.listTools({ cursor: first.nextCursor });
    return [...first.tools, ...second.tools];
  };
  reportInstalledRegistry(client, { tools: await list() });
  peer.handlers['tools/list'] = pages([tool('a', { description: 'other' })], [tool('b')]);
  await peer.notify('notifications/tools/list_changed');
  await wait(150);
  await client.callTool({ name: 'a' });
  const tools = await list();
  await wait(150);
  reportInstalledRegistry(client, { tools });
  await client.listTools();
  await client.close();
}

const EXPECTED = [
  'converged/registry_equal',
  'stale/signal_unanswered',
  'stale/definition_changed',
  'converged/registry_equal',
];

const said = (verdicts: readonly Verdict[]) => verdicts.map(({ verdict, reason }) => `${verdict}/${reason}`);
/** What has to be the same: all but the clock readings. */
const essence = (verdicts: readonly Verdict[]) =>
  verdicts.map(({ timeMs: _, signalLagS: __, sequence, ...rest }) => ({ ...rest, sequence }));

describe('the front ends', () => {
  it('give the same verdicts for the same run, in process and from spans in any order', async () => {
    const inside = collect();
    const outside = collect();
    const shuffled = collect();
    const kept = new InMemorySpanExporter();
    const inProcess = startInProcessVerdicts({ limits, providers: inside.providers });
    const processor = new ConvergenceSpanProcessor({ limits, providers: outside.providers, force: true });
    const provider = new TracerProvider({
      spanProcessors: [processor, new SimpleSpanProcessor({ exporter: kept })],
    });
    sdks.instrumentation.setTracerProvider(provider);
    await agent();
    inProcess.end();
    await processor.shutdown();
    sdks.instrumentation.setTracerProvider(sdks.provider);
    assert.deepEqual(said(inside.verdicts()), EXPECTED);
    assert.deepEqual(essence(outside.verdicts()), essence(inside.verdicts()));
    const late = new ConvergenceSpanProcessor({ limits, providers: shuffled.providers });
    // Batches of one run, each the wrong way round: no two neighbours arrive in order.
    const spans = kept.getFinishedSpans();
    for (let start = 0; start < spans.length; start += 5)
      for (const span of spans.slice(start, start + 5).reverse()) late.onEnd(span);
    await late.shutdown();
    assert.deepEqual(essence(shuffled.verdicts()), essence(inside.verdicts()));
  });

  it('inside the process work when nothing is sampled, the span processor then says nothing', async () => {
    const inside = collect();
    const outside = collect();
    const inProcess = startInProcessVerdicts({ limits, providers: inside.providers });
    const processor = new ConvergenceSpanProcessor({ limits, providers: outside.providers, force: true });
    sdks.instrumentation.setTracerProvider(
      new TracerProvider({ sampler: new AlwaysOffSampler(), spanProcessors: [processor] }),
    );
    await agent();
    inProcess.end();
    await processor.shutdown();
    sdks.instrumentation.setTracerProvider(sdks.provider);
    assert.deepEqual(said(inside.verdicts()), EXPECTED);
    assert.deepEqual(outside.verdicts(), []);
  });

  it('from spans see what is recorded without being sampled', async () => {
    const outside = collect();
    const processor = new ConvergenceSpanProcessor({ limits, providers: outside.providers });
    const sampler = createAlwaysRecordSampler(new AlwaysOffSampler());
    sdks.instrumentation.setTracerProvider(new TracerProvider({ sampler, spanProcessors: [processor] }));
    await agent();
    await processor.shutdown();
    sdks.instrumentation.setTracerProvider(sdks.provider);
    assert.deepEqual(said(outside.verdicts()), EXPECTED);
  });

  it('never both speak: the span processor is silent beside the one in process', async () => {
    const outside = collect();
    const inProcess = startInProcessVerdicts({ limits, providers: collect().providers });
    assert.ok(hasInProcessVerdicts());
    assert.equal(startInProcessVerdicts({ limits }), inProcess, 'a second start gets the first');
    const processor = new ConvergenceSpanProcessor({ limits, providers: outside.providers });
    sdks.instrumentation.setTracerProvider(new TracerProvider({ spanProcessors: [processor] }));
    await agent();
    inProcess.end();
    await processor.shutdown();
    sdks.instrumentation.setTracerProvider(sdks.provider);
    assert.ok(!hasInProcessVerdicts());
    assert.deepEqual(outside.verdicts(), []);
  });

  it('survive anything on the channel and any span', async () => {
    const inside = collect();
    const inProcess = startInProcessVerdicts({ limits, providers: inside.providers });
    for (const junk of [
      null,
      5,
      'x',
      {},
      { kind: 'signal' },
      ...SAMPLES.map((sample) => ({ ...sample, epoch: null })),
    ]) {
      channel(OBSERVATION_CHANNEL).publish(junk);
    }
    inProcess.end();
    const processor = new ConvergenceSpanProcessor({ providers: inside.providers });
    for (const span of [
      {},
      null,
      { attributes: null },
      { attributes: {}, startTime: [0, 0], endTime: [0, 0], spanContext: () => null },
    ]) {
      assert.doesNotThrow(() => processor.onEnd(span as never));
    }
    await processor.shutdown();
    await processor.shutdown();
    await processor.forceFlush();
    assert.deepEqual(inside.verdicts(), []);
  });
});

describe('a verdict', () => {
  it('ends its span, and is counted, although its event cannot be emitted', async () => {
    const inside = collect();
    const loggerProvider = {
      getLogger: () => ({
        emit: () => {
          throw new Error('no logs today');
        },
      }),
    };
    const inProcess = startInProcessVerdicts({ limits, providers: { ...inside.providers, loggerProvider } });
    await agent();
    inProcess.end();
    assert.equal(inside.spans().filter(({ name }) => name === 'mcp_convergence.verdict').length, EXPECTED.length);
  });

  it('is an event with severity and time, in the context of a span that links what was judged', async () => {
    const inside = collect();
    const inProcess = startInProcessVerdicts({ limits, providers: inside.providers });
    await agent();
    inProcess.end();
    const [converged, stale] = inside.records();
    assert.equal(converged?.severityNumber, 9);
    assert.equal(stale?.severityNumber, 13);
    assert.ok((converged?.hrTime[0] ?? 0) > 1_600_000_000);
    const spans = inside.spans().filter((span) => span.name === 'mcp_convergence.verdict');
    assert.equal(spans.length, EXPECTED.length);
    const span = spans[0];
    assert.equal(converged?.spanContext?.spanId, span?.spanContext().spanId);
    assert.equal(span?.parentSpanContext, undefined);
    const linked = span?.links.map(({ context }) => context.spanId) ?? [];
    const traversal = sdks.spans('mcp_convergence.traversal')[0];
    const installed = sdks.spans('mcp_convergence.installed')[0];
    assert.deepEqual(linked, [traversal?.spanContext().spanId, installed?.spanContext().spanId]);
    assert.deepEqual(span?.attributes, converged?.attributes);
  });
});
