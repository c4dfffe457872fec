// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Command line of `run` to plain options. Pure. */

import { parseArgs } from 'node:util';

/** The command line makes no sense; the message is for the user. */
export class UsageError extends Error {}

export interface RunArguments {
  readonly command: string;
  readonly args: readonly string[];
  /** Base URL of an OTLP/HTTP endpoint. */
  readonly otlp?: string;
  /** A file, or `-` for standard output. */
  readonly json?: string;
  readonly graceMs?: number;
}

/** @throws UsageError */
export function readRunArguments(argv: readonly string[]): RunArguments {
  const at = argv.indexOf('--');
  const own = at < 0 ? argv : argv.slice(0, at);
  const { otlp, json, grace } = parse(own);
  const [command, ...args] = at < 0 ? [] : argv.slice(at + 1);
  if (!command) throw new UsageError('give the command to run after --');
  if (otlp !== undefined && !/^https?:\/\/./.test(otlp))
    throw new UsageError(`--otlp needs an http or https URL, not ${otlp}`);
  const graceMs = grace === undefined ? undefined : Number(grace);
  if (graceMs !== undefined && !(graceMs >= 0 && graceMs <= 3_600_000))
    throw new UsageError(`--grace needs milliseconds from 0 to 3600000, not ${grace}`);
  return {
    command,
    args,
    ...(otlp !== undefined && { otlp }),
    ...(json !== undefined && { json }),
    ...(graceMs !== undefined && { graceMs }),
  };
}

function parse(argv: readonly string[]): { otlp?: string; json?: string; grace?: string } {
  try {
    const options = { otlp: { type: 'string' }, json: { type: 'string' }, grace: { type: 'string' } } as const;
    return parseArgs({ args: [...argv], options, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0] ?? '');
  }
}
