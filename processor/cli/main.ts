#!/usr/bin/env node
// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The `mcp-convergence` command: reads the command line, runs a subcommand, sets the exit code. */

import { SCOPE_VERSION } from '../../semconv/scope.ts';
import { readReplayArguments, readRunArguments, UsageError } from './arguments.ts';
import { replay } from './replay.ts';
import { run } from './run.ts';

const HELP = `Usage:
  mcp-convergence run [options] -- command [arguments]
  mcp-convergence replay [options] file...
  mcp-convergence --help | --version

run: runs an agent with MCP instrumentation and prints, live on stderr, whether the tools it uses still equal what its
servers advertise. Standard input and output stay the agent's own; so do signals and the exit code.

Options of run:
  --otlp URL     also send everything received to this OTLP/HTTP endpoint (Jaeger, Honeycomb, a Collector);
                 headers from OTEL_EXPORTER_OTLP_HEADERS
  --json FILE    write one JSON object a line for each verdict; - for standard output, in between the agent's own
  --record FILE  write one JSON object a line for each observation, for replay
  --grace MS     milliseconds a host has to answer a signal (default 5000)

replay: reads recordings of run, or OTLP/JSON as a Collector's file exporter writes it, and prints the verdicts on standard
output. Exit code 0: all converged; 1: any stale or incomplete; 2: any unverifiable, or none at all; 3: a file cannot be
used, and why.

Options of replay:
  --json         one JSON object a line for each verdict, as run --json writes it, instead of a table
  --grace MS     as for run
`;

/** Of a command line that makes no sense. Apart from those of replay, since 1 and 2 tell verdicts there. */
const EXIT_USAGE = 64;

// A reader that goes away (`--json - | head`) must not take this process from under its agent.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

async function main(argv: readonly string[]): Promise<number> {
  const [command, ...rest] = argv;
  if (command === '--help' || command === '-h' || command === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  if (command === '--version' || command === '-v') {
    process.stdout.write(`${SCOPE_VERSION}\n`);
    return 0;
  }
  try {
    if (command === undefined) throw new UsageError('a subcommand is missing');
    if (command === 'run') return await run(readRunArguments(rest));
    if (command === 'replay') return await replay(readReplayArguments(rest));
    throw new UsageError(`there is no subcommand ${command}`);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`mcp-convergence: ${error.message}\n\n${HELP}`);
    return EXIT_USAGE;
  }
}

process.exitCode = await main(process.argv.slice(2));
