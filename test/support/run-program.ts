// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Runs a program in a child process of the node in use, or another, and says how it ended. Every test of a whole process calls this. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface RunOptions {
  readonly node?: string;
  readonly nodeFlags?: readonly string[];
  readonly cwd?: string;
  /** Added to an environment without any OTEL_*, MCP_* or NODE_OPTIONS of ours. */
  readonly env?: Readonly<Record<string, string>>;
  /** Killed after this many milliseconds. @default 60000 */
  readonly timeoutMs?: number;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param command script and arguments */
export async function runProgram(command: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const child = spawn(options.node ?? process.execPath, [...(options.nodeFlags ?? []), ...command], {
    cwd: options.cwd,
    env: { ...plainEnv(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: options.timeoutMs ?? 60_000,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

export interface Started {
  /** The first line that the program printed that `line` matched. */
  readonly line: string;
  /**
   * Resolves when it has ended, to its exit code; null when a signal ended it.
   *
   * @param signal one that the program answers, where it must end well. @default 'SIGKILL'
   */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts a server that says when it is ready by printing a line, on either stream. */
export async function startProgram(
  command: readonly string[],
  ready: RegExp,
  options: RunOptions & { readonly executable?: string } = {},
): Promise<Started> {
  const child = spawn(options.executable ?? process.execPath, [...(options.nodeFlags ?? []), ...command], {
    cwd: options.cwd,
    env: { ...plainEnv(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const seen: string[] = [];
  const line = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (text) => {
        seen.push(text);
        if (ready.test(text)) resolve(text);
      });
    }
    child.on('error', reject);
    child.on('close', (code) => reject(new Error(`${command[0]} ended with ${code}:\n${seen.join('\n')}`)));
    setTimeout(() => reject(new Error(`${command[0]} did not print ${ready}:\n${seen.join('\n')}`)), 30_000).unref();
  });
  return {
    line,
    stop: async (signal = 'SIGKILL') => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await once(child, 'close');
      }
      return child.exitCode;
    },
  };
}

function plainEnv(): NodeJS.ProcessEnv {
  const ours = /^(OTEL_|MCP_|NODE_OPTIONS$|NODE_TEST_CONTEXT$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}
