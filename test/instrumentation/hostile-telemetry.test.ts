// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** An OpenTelemetry SDK, a propagator, a subscriber or a diag logger that throws is no reason for an agent to break. */

import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { after, describe, it } from 'node:test';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { reportInstalledRegistry } from '../../instrumentation/index.ts';
import { OBSERVATION_CHANNEL } from '../../semconv/observation.ts';
import { observeSdks, until } from '../support/observed-sdks.ts';
import { pages, ScriptedPeer, tool } from '../support/scripted-peer.ts';

const fail = (): never => {
  throw new Error('telemetry is broken');
};
const sdks = await observeSdks({ propagator: { inject: fail, extract: fail, fields: () => [] } });

after(() => sdks.instrumentation.disable());

/** Everything an agent does, with what it gets back. */
async function agent(): Promise<unknown> {
  const [mine, theirs] = sdks.v1.InMemoryTransport.createLinkedPair();
  const peer = new ScriptedPeer(theirs as never, {
    'tools/list': pages([tool('a')], [tool('b')]),
    'tools/call': () => ({ content: [], isError: true }),
  });
  await peer.start();
  let changed = 0;
  const onChanged = () => {
    changed += 1;
  };
  const client = new sdks.v1.Client(
    { name: 'agent', version: '1' },
    { listChanged: { tools: { debounceMs: 1, onChanged } } },
  );
  await client.connect(mine);
  const first = await client.listTools();
  const second = await client.listTools({ cursor: first.nextCursor });
  reportInstalledRegistry(client, { tools: first.tools });
  await peer.notify('notifications/tools/list_changed');
  await until(() => changed === 1, 'the handler of the app');
  const result = await client.callTool({ name: 'a' });
  const rejected = await client
    .callTool({ name: 'a' }, undefined, { timeout: 1, signal: AbortSignal.abort('no') })
    .catch(String);
  await client.close();
  return { first, second, result, rejected };
}

describe('a span processor that throws at one span', () => {
  it('keeps neither the other spans open nor the connection', async () => {
    const ended: string[] = [];
    const onEnd = (span: { name: string }) => {
      ended.push(span.name);
      if (span.name === 'tools/call two') fail();
    };
    const processor = { onStart: () => {}, onEnd, forceFlush: async () => {}, shutdown: async () => {} };
    sdks.instrumentation.setTracerProvider(new TracerProvider({ spanProcessors: [processor] }));
    const [mine, theirs] = sdks.v1.InMemoryTransport.createLinkedPair();
    const peer = new ScriptedPeer(theirs as never);
    await peer.start();
    const client = new sdks.v1.Client({ name: 'agent', version: '1' });
    await client.connect(mine);
    sdks.reset();
    const calls = ['one', 'two', 'three'].map((name) => client.callTool({ name }).catch(() => {}));
    await client.close();
    await Promise.all(calls);
    assert.deepEqual(
      sdks.of('call').map(({ tool: name }) => name),
      ['one', 'two', 'three'],
    );
    assert.equal(sdks.of('connection_closed').length, 1);
    assert.ok(ended.includes('tools/call three') && ended.includes('mcp_convergence.connection.closed'));
    sdks.instrumentation.setTracerProvider(sdks.provider);
  });
});

describe('an agent', () => {
  it('gets the same whatever part of telemetry throws', async () => {
    sdks.instrumentation.disable();
    const expected = await agent();
    sdks.instrumentation.enable();
    assert.deepEqual(await agent(), expected, 'with a propagator that throws');

    const uncaught: Error[] = [];
    const onUncaught = (error: Error) => uncaught.push(error);
    const listeners = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', onUncaught);
    subscribe(OBSERVATION_CHANNEL, fail);
    assert.deepEqual(await agent(), expected, 'with a subscriber that throws');
    unsubscribe(OBSERVATION_CHANNEL, fail);
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off('uncaughtException', onUncaught);
    for (const listener of listeners) process.on('uncaughtException', listener as never);
    // Node reports what a foreign subscriber throws as uncaught; that is between it and Node.
    assert.ok(uncaught.every(({ message }) => message === 'telemetry is broken'));

    sdks.instrumentation.setTracerProvider({ getTracer: fail } as never);
    assert.deepEqual(await agent(), expected, 'with a tracer provider that throws');
    const tracer = { startSpan: () => new Proxy({}, { get: () => fail }) };
    sdks.instrumentation.setTracerProvider({ getTracer: () => tracer } as never);
    assert.deepEqual(await agent(), expected, 'with spans that throw');
    const problems = (await sdks.metricNames()).get('mcp_convergence.instrumentation.problems');
    assert.deepEqual(
      problems?.map((attributes) => attributes['mcp_convergence.problem']),
      ['internal_error'],
    );

    sdks.instrumentation.setMeterProvider({ getMeter: fail } as never);
    let armed = false;
    const say = () => armed && fail();
    diag.setLogger({ error: say, warn: say, info: say, debug: say, verbose: say }, DiagLogLevel.ALL);
    armed = true;
    assert.deepEqual(await agent(), expected, 'with meters and a diag logger that throw as well');
    armed = false;
    diag.disable();
  });
});
