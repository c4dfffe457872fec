// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** `mcp-convergence replay`: recordings to verdicts on standard output, and an exit code that a script can act on. */

import type { Observation } from '../../semconv/observation.ts';
import type { Verdict, VerdictKind } from '../../semconv/verdict.ts';
import { encodeVerdict } from '../../semconv/verdict-attributes.ts';
import type { Counters, Step } from '../core/index.ts';
import { inTimeOrder } from '../recording/in-time-order.ts';
import { RecordingError, readRecording } from '../recording/read-recording.ts';
import { Replay } from '../recording/replay.ts';
import type { ReplayArguments } from './arguments.ts';
import { toJsonLine } from './verdict-lines.ts';
import { formatHead, formatRow } from './verdict-table.ts';

const EXIT_CONVERGED = 0;
const EXIT_NOT_CONVERGED = 1;
const EXIT_UNVERIFIABLE = 2;
const EXIT_UNUSABLE = 3;

/** Resolves to the exit code. Nothing is printed of a recording that turns out to be unusable. */
export async function replay({ files, json, graceMs }: ReplayArguments): Promise<number> {
  const run = new Replay(graceMs === undefined ? {} : { graceMs });
  const steps: Step[] = [];
  try {
    for await (const observation of inTimeOrder(readAll(files))) steps.push(...run.observe(observation).filter(says));
    steps.push(run.end());
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    process.stderr.write(`mcp-convergence: ${error.message}\n`);
    return EXIT_UNUSABLE;
  }
  const verdicts = steps.flatMap((step) => step.verdicts);
  const staleCalls = steps.flatMap((step) => step.staleCalls);
  if (json)
    print(verdicts.map((verdict) => toJsonLine({ attributes: encodeVerdict(verdict), timeMs: verdict.timeMs })));
  else print([...formatHead(), ...verdicts.map(formatRow), '', summarize(verdicts, staleCalls.length, run.counters())]);
  return exitCodeOf(verdicts);
}

async function* readAll(files: readonly string[]): AsyncGenerator<Observation> {
  for (const file of files) yield* readRecording(file);
}

const says = ({ verdicts, staleCalls }: Step): boolean => verdicts.length + staleCalls.length > 0;

function print(lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
}

/** No verdict at all is no evidence either. */
function exitCodeOf(verdicts: readonly Verdict[]): number {
  const said = new Set(verdicts.map(({ verdict }) => verdict));
  if (said.has('stale') || said.has('incomplete')) return EXIT_NOT_CONVERGED;
  return said.has('unverifiable') || said.size === 0 ? EXIT_UNVERIFIABLE : EXIT_CONVERGED;
}

function summarize(verdicts: readonly Verdict[], staleCalls: number, { gaps, duplicates, dropped }: Counters): string {
  const counts = new Map<VerdictKind, number>();
  for (const { verdict } of verdicts) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  const connections = new Set(verdicts.map(({ connectionId }) => connectionId)).size;
  const said = [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(', ') || 'no verdict';
  const more = [
    [staleCalls, 'calls on a stale definition'],
    [gaps, 'gaps in the observations'],
    [duplicates, 'duplicates'],
    ...Object.entries(dropped).map(([limit, count]) => [count, `dropped at ${limit}`]),
  ].filter(([count]) => count !== 0);
  const parts = [`${said} on ${connections} connection${connections === 1 ? '' : 's'}`];
  return [...parts, ...more.map(([count, what]) => `${count} ${what}`)].join('; ');
}
