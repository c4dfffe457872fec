// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What the instrumentation adds to a request of SDK v2. Client and server are in this process and talk over memory, so there is
 * no network to hide behind; over a real one the share is far smaller. Patches are out while the plain client is measured.
 */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Server } from '@modelcontextprotocol/server';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { type SpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { McpInstrumentation, reportInstalledRegistry } from '../../instrumentation/index.ts';
import { EngineRunner } from '../../processor/engine-runner.ts';
import { OBSERVATION_CHANNEL, type Observation } from '../../semconv/index.ts';
import { measure, printTable, QUICK, type Row, rowOf, type Subject } from './report.ts';
import { sampleTools } from './sample-tools.ts';

const TURNS = QUICK ? 2 : 10;
const tools = sampleTools(100);
const name = tools[0]?.name ?? '';

// The instrumentation has to be there before the SDK loads.
const instrumentation = new McpInstrumentation({ propagator: new W3CTraceContextPropagator() });
const recording = new McpInstrumentation({ propagator: new W3CTraceContextPropagator() });
instrumentation.disable();
recording.disable();
const { Client, InMemoryTransport } = await import('@modelcontextprotocol/client');
type SdkClient = InstanceType<typeof Client>;

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const dropSpans: SpanProcessor = {
  onStart() {},
  onEnd() {},
  forceFlush: async () => {},
  shutdown: async () => {},
};
recording.setTracerProvider(new TracerProvider({ spanProcessors: [dropSpans] }));

const runner = new EngineRunner();
const judge = (message: unknown): void => runner.observe(message as Observation);

interface Setup {
  readonly name: string;
  readonly before: () => void;
  readonly after: () => void;
}

const SETUPS: readonly Setup[] = [
  { name: 'plain', before: () => {}, after: () => {} },
  {
    name: 'instrumented, no OpenTelemetry SDK',
    before: () => instrumentation.enable(),
    after: () => instrumentation.disable(),
  },
  { name: 'instrumented, spans recorded', before: () => recording.enable(), after: () => recording.disable() },
  {
    name: 'instrumented, spans recorded, verdicts given',
    before: () => {
      recording.enable();
      subscribe(OBSERVATION_CHANNEL, judge);
    },
    after: () => {
      unsubscribe(OBSERVATION_CHANNEL, judge);
      recording.disable();
    },
  },
];

async function connect({ before, after }: Setup): Promise<SdkClient> {
  before();
  const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', () => ({ content: [{ type: 'text', text: 'done' }] }));
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs as never);
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(mine);
  reportInstalledRegistry(client, { tools: (await client.listTools()).tools });
  after();
  return client;
}

const REQUESTS: Readonly<Record<string, (client: SdkClient) => Promise<unknown>>> = {
  'tools/call': (client) => client.callTool({ name, arguments: { the_0: 'x' } }),
  'tools/list of 100 tools': (client) => client.listTools(),
};

const clients: SdkClient[] = [];
for (const setup of SETUPS) clients.push(await connect(setup));

/** A benchmark of an instrumentation that sees nothing, or of a plain client that is seen, would tell nothing. */
async function assertObserved(setup: Setup, client: SdkClient): Promise<void> {
  let seen = 0;
  const count = (): void => {
    seen += 1;
  };
  setup.before();
  subscribe(OBSERVATION_CHANNEL, count);
  await client.callTool({ name });
  unsubscribe(OBSERVATION_CHANNEL, count);
  setup.after();
  if (seen !== (setup.name === 'plain' ? 0 : 1)) throw new Error(`${setup.name}: ${seen} observations of a call`);
}

for (const [index, setup] of SETUPS.entries()) await assertObserved(setup, clients[index] as SdkClient);

const rows: Row[] = [];
for (const [request, send] of Object.entries(REQUESTS)) {
  const [floor, ...subjects] = SETUPS.map((setup, index): Subject => {
    const client = clients[index] as SdkClient;
    const run = async (): Promise<void> => {
      for (let turn = 0; turn < TURNS; turn++) await send(client);
    };
    return { ...setup, run };
  });
  if (!floor) throw new Error('nothing to measure');
  const [, ...ratios] = await measure(floor, subjects);
  for (const ratio of ratios) rows.push([`${request}: ${ratio.name}`, ...rowOf(ratio).slice(1)]);
}
printTable(
  'client: one request of SDK v2 over an in-memory transport',
  'the same request without instrumentation',
  ['', 'x floor', 'middle half'],
  rows,
);
for (const client of clients) await client.close();
