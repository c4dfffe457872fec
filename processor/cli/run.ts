// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * `mcp-convergence run`: an embedded receiver, the agent as a child with the preload in its NODE_OPTIONS, verdicts on stderr as
 * they arrive. Everything else of the agent is passed through: standard streams, signals, exit code.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import { ATTR_MCP_CONVERGENCE_CONNECTION_ID, EVENT_MCP_CONVERGENCE_VERDICT } from '../../semconv/names.ts';
import type { Verdict } from '../../semconv/verdict.ts';
import { decodeVerdict } from '../../semconv/verdict-attributes.ts';
import type { PlainLog, PlainSpan } from '../service/decode-otlp-json.ts';
import { createForwarder } from '../service/forward.ts';
import { startReceiver } from '../service/receiver.ts';
import { type RunArguments, UsageError } from './arguments.ts';
import { formatSummary, formatVerdict, toJsonLine } from './verdict-lines.ts';

const PASSED_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** As shells report it. */
const EXIT_NOT_FOUND = 127;
const EXIT_NOT_EXECUTABLE = 126;
const EXIT_SIGNAL_BASE = 128;

/** The bundle built next to this file. */
const PRELOAD = new URL('../../run-preload.mjs', import.meta.url);

/** Resolves to the exit code for this process. @throws UsageError when the JSON file cannot be written */
export async function run(options: RunArguments): Promise<number> {
  const say = (text: string) => process.stderr.write(`${text}\n`);
  const colour = process.stderr.isTTY === true && !process.env.NO_COLOR;
  const json = options.json === undefined ? undefined : await openJson(options.json);
  const forwarder =
    options.otlp === undefined
      ? undefined
      : createForwarder({
          endpoint: options.otlp,
          headers: headersOf(process.env),
          onFailure: (message) => say(`mcp-convergence: ${message}`),
        });
  const verdicts: Verdict[] = [];
  const seen = new Set<string>();
  const connections = new Set<string>();
  const receiver = await startReceiver({
    onSpans: (spans) => rememberConnections(spans, connections),
    onLogs: (logs) => {
      for (const log of logs) {
        const verdict = newVerdict(log, seen);
        if (!verdict) continue;
        verdicts.push(verdict);
        connections.add(verdict.connectionId);
        say(formatVerdict(verdict, colour));
        json?.write(`${toJsonLine(log)}\n`);
      }
    },
    ...(forwarder && { onRaw: (request) => forwarder.forward(request) }),
  });
  const code = await runChild(options, receiver.url, say);
  await receiver.close();
  await forwarder?.settle();
  say(formatSummary(verdicts, connections.size));
  if (json && json !== process.stdout) await new Promise((resolve) => json.end(resolve));
  return code;
}

function rememberConnections(spans: readonly PlainSpan[], connections: Set<string>): void {
  for (const { attributes } of spans) {
    const id = attributes[ATTR_MCP_CONVERGENCE_CONNECTION_ID];
    if (typeof id === 'string') connections.add(id);
  }
}

/** A verdict that was posted at the very end of a process may have come the ordinary way, too. */
function newVerdict(log: PlainLog, seen: Set<string>): Verdict | undefined {
  const verdict =
    log.eventName === EVENT_MCP_CONVERGENCE_VERDICT ? decodeVerdict(log.attributes, log.timeMs) : undefined;
  if (!verdict) return undefined;
  const key = [verdict.connectionId, verdict.sequence, verdict.layer, verdict.reason, verdict.timeMs].join(' ');
  if (seen.has(key)) return undefined;
  seen.add(key);
  return verdict;
}

function headersOf(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const pairs = (env.OTEL_EXPORTER_OTLP_HEADERS ?? '').split(',').map((pair) => pair.split('='));
  return Object.fromEntries(
    pairs
      .filter(([key]) => key?.trim())
      .map(([key, ...rest]) => [key?.trim(), decodeURIComponent(rest.join('=').trim())]),
  );
}

async function openJson(file: string): Promise<Writable> {
  if (file === '-') return process.stdout;
  const stream = createWriteStream(file);
  await new Promise<void>((resolve, reject) => {
    stream.once('open', () => resolve());
    stream.once('error', (error) => reject(new UsageError(`--json: ${error.message}`)));
  });
  return stream;
}

function childEnvironment(options: RunArguments, endpoint: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    NODE_OPTIONS: [process.env.NODE_OPTIONS, `--import ${PRELOAD.href}`].filter(Boolean).join(' '),
    MCP_CONVERGENCE_RUN_ENDPOINT: endpoint,
    ...(options.graceMs !== undefined && { MCP_CONVERGENCE_GRACE_MS: String(options.graceMs) }),
  };
}

async function runChild(options: RunArguments, endpoint: string, say: (text: string) => void): Promise<number> {
  const child = spawn(options.command, [...options.args], {
    stdio: 'inherit',
    env: childEnvironment(options, endpoint),
  });
  const stopPassing = passSignals(child);
  try {
    return await new Promise<number>((resolve) => {
      child.once('error', (error: NodeJS.ErrnoException) => {
        say(
          `mcp-convergence: cannot run ${options.command}: ${error.code === 'ENOENT' ? 'command not found' : error.message}`,
        );
        resolve(error.code === 'ENOENT' ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
      });
      child.once('exit', (code, signal) =>
        resolve(code ?? EXIT_SIGNAL_BASE + (signal ? constants.signals[signal] : 0)),
      );
    });
  } finally {
    stopPassing();
  }
}

/** A terminal sends SIGINT to the whole group; the child then gets it twice, which is what shells' own wrappers do as well. */
function passSignals(child: ChildProcess): () => void {
  const handlers = PASSED_SIGNALS.map((signal) => {
    const pass = () => child.kill(signal);
    process.on(signal, pass);
    return () => process.removeListener(signal, pass);
  });
  return () => {
    for (const remove of handlers) remove();
  };
}
