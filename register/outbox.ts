// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Verdicts that may not have left the process yet, for the one end that allows no asynchronous work: `process.exit()` and
 * uncaught errors. What is left then is sent by a child process that this one waits for, so it reaches any OTLP endpoint, and
 * an ordinary end costs nothing.
 */

import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';
import {
  ATTR_MCP_CONVERGENCE_CONNECTION_ID,
  ATTR_MCP_CONVERGENCE_LAYER,
  ATTR_MCP_CONVERGENCE_REASON,
  ATTR_MCP_CONVERGENCE_SEQUENCE,
} from '../semconv/names.ts';
import type { Verdict } from '../semconv/verdict.ts';
import { encodeVerdict } from '../semconv/verdict-attributes.ts';
import { encodeLogsRequest, encodeTracesRequest } from './otlp-json.ts';

/** Verdicts kept; a process that gives more than this within their lifetime loses the oldest. */
const MAX_KEPT = 256;
/** Batches go out every few seconds, so what is older than this has been sent by the SDK itself. */
const MAX_AGE_MS = 15_000;
/** How long the end of the process may be held up at most. */
const POST_MS = 2000;

export interface Target {
  /** Full URL, `/v1/logs` or `/v1/traces` included. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A request that is ready to be sent. */
export interface Post extends Target {
  readonly body: string;
}

export interface Destination {
  /** Absent when that signal is not exported over HTTP. */
  readonly logs?: Target;
  readonly traces?: Target;
  readonly resource: Readonly<Record<string, string>>;
}

/** Whether a program of this name runs scripts. Electron, and programs with Node built in, would start the app once more. */
export function isNode(executable: string): boolean {
  return /^node(?:js)?[\d.]*(?:\.exe)?$/i.test(basename(executable));
}

type Attributes = Readonly<Record<string, unknown>>;

/** Posts every request of a JSON list given on standard input, at once, and ends. */
const POST = `
let text = '';
process.stdin.on('data', (chunk) => { text += chunk; }).on('end', () => {
  for (const { url, headers, body } of JSON.parse(text)) {
    fetch(url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body }).catch(() => {});
  }
});`;

export class VerdictOutbox {
  readonly #kept = new Map<string, { readonly verdict: Verdict; readonly sinceMs: number }>();

  add(verdict: Verdict): void {
    const eldest = this.#kept.size >= MAX_KEPT ? this.#kept.keys().next().value : undefined;
    if (eldest !== undefined) this.#kept.delete(eldest);
    this.#kept.set(keyOf(encodeVerdict(verdict)), { verdict, sinceMs: Date.now() });
  }

  /** The items of a batch were taken by the collector; those that are verdicts need no more care. */
  sent(items: readonly { readonly attributes: Attributes }[]): void {
    for (const { attributes } of items) this.#kept.delete(keyOf(attributes));
  }

  /** Everything was flushed. */
  clear(): void {
    this.#kept.clear();
  }

  /** Sends what is left, and `others`, and waits for it, two seconds at most. Synchronous; does nothing when nothing is left. */
  postSync({ logs, traces, resource }: Destination, others: readonly Post[] = []): void {
    const left = [...this.#kept.values()]
      .filter(({ sinceMs }) => Date.now() - sinceMs <= MAX_AGE_MS)
      .map(({ verdict }) => verdict);
    this.#kept.clear();
    const requests: readonly Post[] = [
      ...(logs && left.length > 0 ? [{ ...logs, body: encodeLogsRequest(left, resource) }] : []),
      ...(traces && left.length > 0 ? [{ ...traces, body: encodeTracesRequest(left, resource) }] : []),
      ...others,
    ];
    if (requests.length === 0 || !isNode(process.execPath)) return;
    const { NODE_OPTIONS: _, ...env } = process.env;
    spawnSync(process.execPath, ['-e', POST], {
      input: JSON.stringify(requests),
      timeout: POST_MS,
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
  }
}

function keyOf(attributes: Attributes): string {
  const parts = [
    ATTR_MCP_CONVERGENCE_CONNECTION_ID,
    ATTR_MCP_CONVERGENCE_SEQUENCE,
    ATTR_MCP_CONVERGENCE_LAYER,
    ATTR_MCP_CONVERGENCE_REASON,
  ];
  return parts.map((key) => String(attributes[key])).join('/');
}
