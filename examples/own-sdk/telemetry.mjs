// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What an application that is observed already has: its own OpenTelemetry SDK. Here it keeps everything in memory, to look at
 * the end whether the spans and the verdict came to it.
 *
 *     node --import ./examples/own-sdk/telemetry.mjs --import mcp-convergence/register examples/agent.mjs
 */

import { logs, trace } from '@opentelemetry/api';
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

const spans = new InMemorySpanExporter();
const events = new InMemoryLogRecordExporter();
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }));
logs.setGlobalLoggerProvider(new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter: events })] }));

process.on('exit', () => {
  const names = spans.getFinishedSpans().map((span) => span.name);
  const verdicts = events
    .getFinishedLogRecords()
    .filter((event) => event.eventName === 'mcp_convergence.verdict')
    .map((event) => event.attributes['mcp_convergence.verdict']);
  console.log(`spans: ${names.join(', ')}`);
  console.log(`verdicts: ${verdicts.join(', ')}`);
  const complete = ['initialize', 'tools/list', 'tools/call read_ticket'].every((name) => names.includes(name));
  if (!complete || verdicts.at(-1) !== 'converged') process.exitCode = 1;
});
