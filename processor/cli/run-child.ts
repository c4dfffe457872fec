// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The agent as a child process: its standard streams are ours, its environment is ours plus the preload, and signals and exit
 * code are passed through. Called by `run`.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import type { RunArguments } from './arguments.ts';

const PASSED_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** As shells report it. */
const EXIT_NOT_FOUND = 127;
const EXIT_NOT_EXECUTABLE = 126;
const EXIT_SIGNAL_BASE = 128;

/** The bundle built next to the command. */
const PRELOAD = new URL('../../run-preload.mjs', import.meta.url);

/** Resolves to the exit code to end with: the child's, 128 + n for a signal, 127 or 126 when it could not be started. */
export async function runChild(options: RunArguments, endpoint: string, say: (text: string) => void): Promise<number> {
  const refuse = ({ code, message }: NodeJS.ErrnoException) => {
    say(`mcp-convergence: cannot run ${options.command}: ${code === 'ENOENT' ? 'command not found' : message}`);
    return code === 'ENOENT' ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
  };
  try {
    const env = childEnvironment(options, endpoint);
    const child = spawn(options.command, [...options.args], { stdio: 'inherit', env });
    const stopPassing = passSignals(child);
    return await new Promise<number>((resolve) => {
      child.once('error', (error) => resolve(refuse(error)));
      child.once('exit', (code, signal) =>
        resolve(code ?? EXIT_SIGNAL_BASE + (signal ? constants.signals[signal] : 0)),
      );
    }).finally(stopPassing);
  } catch (error) {
    // Some refusals of the system are thrown, such as a file that is no program.
    return refuse(error as NodeJS.ErrnoException);
  }
}

/** The preload comes first, so that `run` also sees an agent that loads `mcp-convergence/register` by NODE_OPTIONS itself. */
function childEnvironment(options: RunArguments, endpoint: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    NODE_OPTIONS: [`--import ${PRELOAD.href}`, process.env.NODE_OPTIONS].filter(Boolean).join(' '),
    MCP_CONVERGENCE_RUN_ENDPOINT: endpoint,
    ...(options.graceMs !== undefined && { MCP_CONVERGENCE_GRACE_MS: String(options.graceMs) }),
  };
}

/**
 * A terminal sends Ctrl-C to the agent as well as to us. Passed on, it would count twice, and twice means "at once" to many
 * programs; so at a terminal SIGINT is only survived.
 */
function passSignals(child: ChildProcess): () => void {
  const atTerminal = isatty(0) || isatty(1) || isatty(2);
  const handlers = PASSED_SIGNALS.map((signal) => {
    const pass = () => {
      if (signal !== 'SIGINT' || !atTerminal) child.kill(signal);
    };
    process.on(signal, pass);
    return () => process.removeListener(signal, pass);
  });
  return () => {
    for (const remove of handlers) remove();
  };
}
