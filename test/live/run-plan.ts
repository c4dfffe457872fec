// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Carries out the plan of a case under `mcp-convergence run` of the built package: a host on a real SDK client, and a real
 * server, in processes of their own. Gives back the verdict events that came out of the host's telemetry.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Verdict } from '../../semconv/verdict.ts';
import { decodeVerdict } from '../../semconv/verdict-attributes.ts';
import { ROOT } from '../support/cached-install.ts';
import { readCase } from '../support/case-files.ts';
import { type Ended, runProgram, startProgram } from '../support/run-program.ts';
import { makeScratch } from '../support/scratch.ts';
import { type LivePlan, readLivePlan } from './plan.mjs';

export interface LiveRun extends Ended {
  /** The verdict events, in the order in which they arrived. */
  readonly verdicts: readonly Verdict[];
}

const CLI = join(ROOT, 'dist/processor/cli/main.mjs');
const SERVERS = join(ROOT, 'test/servers');
/** A run takes two seconds, and ten times that where the machine has much else to do. */
const RUN_TIMEOUT_MS = 120_000;
const URL_LINE = /^http:/;

let runs = 0;
const scratch = makeScratch();

export async function readPlanOf(folder: string): Promise<LivePlan> {
  return readLivePlan(await readFile(join(folder, 'plan.json'), 'utf8'));
}

/** @param more options for `mcp-convergence run`, `['--record', file]` for one */
export async function runPlan(folder: string, client: 'v1' | 'v2', more: readonly string[] = []): Promise<LiveRun> {
  const plan = await readPlanOf(folder);
  const { graceMs } = readCase(folder).limits ?? {};
  if (graceMs === undefined) throw new Error('a case with a plan has a grace of its own');
  const server = await startServer(plan);
  const file = join(scratch, `${++runs}.jsonl`);
  try {
    const agent = join(ROOT, `test/live/agent-${client}.mjs`);
    const command = [process.execPath, agent, join(folder, 'plan.json'), JSON.stringify(server.target)];
    const ended = await runProgram(
      [CLI, 'run', '--grace', String(graceMs), '--json', file, ...more, '--', ...command],
      {
        cwd: ROOT,
        timeoutMs: RUN_TIMEOUT_MS,
        ...(plan.traversalTimeoutMs !== undefined && {
          env: { MCP_CONVERGENCE_TRAVERSAL_TIMEOUT_MS: String(plan.traversalTimeoutMs) },
        }),
      },
    );
    return { ...ended, verdicts: await readVerdicts(file) };
  } finally {
    await server.stop();
  }
}

interface Server {
  readonly target: { readonly command: string; readonly args: readonly string[] } | { readonly url: string };
  stop(): Promise<unknown>;
}

/** On stdio the client starts it; over HTTP it is here before the client is. */
async function startServer({ era, transport, server }: LivePlan): Promise<Server> {
  const { raw, generations, replay, ...script } = server;
  const sdk = era === 'modern' ? 'sdk-v2' : 'sdk-v1';
  const program = raw ? 'raw.mjs' : generations ? 'supervisor.mjs' : `${sdk}.mjs`;
  const kind = generations ? [sdk, transport] : raw ? [] : [transport];
  const plan = raw ?? (generations ? { generations, replay } : script);
  const command = [join(SERVERS, program), ...kind, JSON.stringify(plan)];
  if (transport === 'stdio') return { target: { command: process.execPath, args: command }, stop: async () => {} };
  const { line, stop } = await startProgram(command, URL_LINE);
  return { target: { url: line, ...(transport === 'sse' && { sse: true }) }, stop };
}

async function readVerdicts(file: string): Promise<readonly Verdict[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const lines = text.split('\n').filter(Boolean);
  return lines.map((line) => {
    const { time, ...attributes } = JSON.parse(line);
    const verdict = decodeVerdict(attributes, Date.parse(time));
    if (!verdict) throw new Error(`no verdict: ${line}`);
    return verdict;
  });
}
