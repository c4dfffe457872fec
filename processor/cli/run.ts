// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * `mcp-convergence run`: an embedded receiver, the agent as a child with the preload in its NODE_OPTIONS, verdicts on stderr as
 * they arrive, and a summary when it has ended.
 */

import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { readPairs } from '../key-value-list.ts';
import { observationOf } from '../recording/parse-line.ts';
import { createForwarder } from '../service/forward.ts';
import { startReceiver } from '../service/receiver.ts';
import { type RunArguments, UsageError } from './arguments.ts';
import { runChild } from './run-child.ts';
import { RunTally } from './run-tally.ts';
import { formatSummary, formatVerdict, toJsonLine } from './verdict-lines.ts';

/** Resolves to the exit code for this process. @throws UsageError when a file cannot be written */
export async function run(options: RunArguments): Promise<number> {
  const say = (text: string) => process.stderr.write(`${text}\n`);
  const complain = (message: string) => say(`mcp-convergence: ${message}`);
  const colour = process.stderr.isTTY === true && !process.env.NO_COLOR;
  const json = options.json === undefined ? undefined : await openOutput('--json', options.json, complain);
  const record = options.record === undefined ? undefined : await openOutput('--record', options.record, complain);
  const forwarder =
    options.otlp === undefined
      ? undefined
      : createForwarder({
          endpoint: options.otlp,
          headers: readPairs(process.env.OTEL_EXPORTER_OTLP_HEADERS),
          onFailure: complain,
        });
  const tally = new RunTally();
  const receiver = await startReceiver({
    onSpans: (spans) => {
      for (const span of spans) {
        tally.span(span);
        const observation = record && observationOf(span);
        if (observation === 'unreadable')
          complain(`--record: span "${span.name}" carries an observation that was cut short`);
        else if (observation) record?.write(`${JSON.stringify(observation)}\n`);
      }
    },
    onLogs: (logs) => {
      for (const log of logs) {
        const verdict = tally.verdict(log);
        if (!verdict) continue;
        say(formatVerdict(verdict, colour));
        json?.write(`${toJsonLine(log)}\n`);
      }
    },
    ...(forwarder && { onRaw: (request) => forwarder.forward(request) }),
  });
  const code = await runChild(options, receiver.url, say);
  await receiver.close();
  await forwarder?.settle();
  say(formatSummary(tally.last, tally.connections));
  for (const output of [json, record])
    if (output && output !== process.stdout) await new Promise((resolve) => output.end(resolve));
  return code;
}

/** `-` is standard output. */
async function openOutput(option: string, file: string, complain: (message: string) => void): Promise<Writable> {
  if (file === '-') return process.stdout;
  const stream = createWriteStream(file);
  await new Promise<void>((resolve, reject) => {
    stream.once('open', () => resolve());
    stream.once('error', (error) => reject(new UsageError(`${option}: ${error.message}`)));
  });
  // A disk that fills up later costs the file, not the agent.
  stream.on('error', (error) => complain(`${option}: ${error.message}`));
  return stream;
}
