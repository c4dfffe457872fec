// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Command lines to plain options. Pure. */

import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The command line makes no sense; the message is for the user. */
export class UsageError extends Error {}

export interface RunArguments {
  readonly command: string;
  readonly args: readonly string[];
  /** Base URL of an OTLP/HTTP endpoint. */
  readonly otlp?: string;
  /** A file, or `-` for standard output. */
  readonly json?: string;
  /** A file for the observations. */
  readonly record?: string;
  readonly graceMs?: number;
}

export interface ReplayArguments {
  readonly files: readonly string[];
  readonly json: boolean;
  readonly graceMs?: number;
}

const TEXT = { type: 'string' } as const;

/** @throws UsageError */
export function readRunArguments(argv: readonly string[]): RunArguments {
  const at = argv.indexOf('--');
  const own = at < 0 ? argv : argv.slice(0, at);
  const { otlp, json, record, grace } = parse({
    args: [...own],
    options: { otlp: TEXT, json: TEXT, record: TEXT, grace: TEXT },
  }).values;
  const [command, ...args] = at < 0 ? [] : argv.slice(at + 1);
  if (!command) throw new UsageError('give the command to run after --');
  if (otlp !== undefined && !/^https?:\/\/./.test(otlp))
    throw new UsageError(`--otlp needs an http or https URL, not ${otlp}`);
  return {
    command,
    args,
    ...(otlp !== undefined && { otlp }),
    ...(json !== undefined && { json }),
    ...(record !== undefined && { record }),
    ...readGrace(grace),
  };
}

/** @throws UsageError */
export function readReplayArguments(argv: readonly string[]): ReplayArguments {
  const options = { json: { type: 'boolean' }, grace: TEXT } as const;
  const { values, positionals } = parse({ args: [...argv], options, allowPositionals: true });
  if (positionals.length === 0) throw new UsageError('give the recordings to replay');
  return { files: positionals, json: values.json === true, ...readGrace(values.grace) };
}

function readGrace(grace: string | undefined): { readonly graceMs?: number } {
  if (grace === undefined) return {};
  const graceMs = grace === '' ? Number.NaN : Number(grace);
  if (graceMs >= 0 && graceMs <= 3_600_000) return { graceMs };
  throw new UsageError(`--grace needs milliseconds from 0 to 3600000, not ${grace}`);
}

function parse<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0] ?? '');
  }
}
