// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Runs a small program in a process of its own under the instrumentation, and gives back what was observed. */

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Observation } from '../../semconv/observation.ts';
import { makeScratch } from './scratch.ts';

const PRELOAD = new URL('../fixtures/observe-preload.ts', import.meta.url).href;
export const REPOSITORY: string = new URL('../..', import.meta.url).pathname;

export interface FixtureRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly observations: Observation[];
  readonly warnings: string[];
}

export interface FixtureOptions {
  /** Program text; its imports resolve from the repository. */
  readonly source: string;
  readonly type?: 'mjs' | 'cjs';
  readonly preload?: boolean;
  readonly nodeArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export async function runFixture(options: FixtureOptions): Promise<FixtureRun> {
  const { source, type = 'mjs', preload = true, nodeArgs = [], env = {} } = options;
  const directory = makeScratch(join(REPOSITORY, 'node_modules'));
  const program = join(directory, `program.${type}`);
  const observed = join(makeScratch(), 'lines');
  writeFileSync(program, source);
  const args = [...(preload ? ['--import', PRELOAD] : []), ...nodeArgs, program];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, NODE_OPTIONS: '', OBSERVE_FILE: observed, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const lines = existsSync(observed) ? readFileSync(observed, 'utf8').split('\n').filter(Boolean) : [];
  const parsed = lines.map((line) => JSON.parse(line));
  return {
    code,
    stdout,
    stderr,
    observations: parsed.filter((line) => line.kind !== undefined),
    warnings: parsed.filter((line) => line.diag !== undefined).map((line) => line.text),
  };
}
