#!/usr/bin/env node
// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The `mcp-convergence` command: reads the command line, runs a subcommand, sets the exit code. */

import { SCOPE_VERSION } from '../../semconv/scope.ts';
import { readRunArguments, UsageError } from './arguments.ts';
import { run } from './run.ts';

const HELP = `Usage: mcp-convergence run [options] -- command [arguments]

Runs an agent with MCP instrumentation and prints, live on stderr, whether the tools it uses still equal what its
servers advertise. Standard input and output stay the agent's own; so do signals and the exit code.

Options of run:
  --otlp URL     also send everything received to this OTLP/HTTP endpoint (Jaeger, Honeycomb, a Collector);
                 headers from OTEL_EXPORTER_OTLP_HEADERS
  --json FILE    write one JSON object a line for each verdict; - for standard output, in between the agent's own
  --grace MS     milliseconds a host has to answer a signal (default 5000)

  mcp-convergence --help | --version
`;

const EXIT_USAGE = 2;

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
    if (command !== 'run') throw new UsageError(`there is no subcommand ${command}`);
    return await run(readRunArguments(rest));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`mcp-convergence: ${error.message}\n\n${HELP}`);
    return EXIT_USAGE;
  }
}

process.exitCode = await main(process.argv.slice(2));
