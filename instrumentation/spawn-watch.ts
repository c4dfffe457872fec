// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Notices an MCP server that this process starts and talks to without our seeing a connection: a bundled app, a client
 * that is not an official SDK, an SDK loaded before us. Looks at the first bytes that go to a child's stdin, nothing else.
 */

import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** Node publishes `{ process }` here for every asynchronous spawn. */
const CHILD_PROCESS_CHANNEL = 'child_process';
/** Methods with which an MCP conversation begins. */
const OPENING = /"method"\s*:\s*"(?:initialize|server\/discover)"/;
const MAX_LOOK = 4096;

/** Calls `opened` when a child gets an opening MCP message as its first input. Returns how to stop. */
export function watchSpawns(opened: () => void): () => void {
  const onSpawn = (message: unknown) => {
    const child = (message as { process?: ChildProcess }).process;
    // The streams are attached only after the channel has published.
    queueMicrotask(() => {
      if (child?.stdin) lookOnce(child, opened);
    });
  };
  subscribe(CHILD_PROCESS_CHANNEL, onSpawn);
  return () => {
    unsubscribe(CHILD_PROCESS_CHANNEL, onSpawn);
  };
}

function lookOnce(child: ChildProcess, opened: () => void): void {
  const stdin = child.stdin as { write: (...args: unknown[]) => unknown };
  const had = Object.hasOwn(stdin, 'write');
  const original = stdin.write;
  const look = function write(this: unknown, ...args: unknown[]) {
    if (stdin.write === look) {
      if (had) stdin.write = original;
      else Reflect.deleteProperty(stdin, 'write');
    }
    const [chunk] = args;
    const text =
      typeof chunk === 'string'
        ? chunk.slice(0, MAX_LOOK)
        : Buffer.isBuffer(chunk)
          ? chunk.toString('utf8', 0, MAX_LOOK)
          : '';
    if (text.includes('"jsonrpc"') && OPENING.test(text)) opened();
    return Reflect.apply(original, this, args);
  };
  stdin.write = look;
}
