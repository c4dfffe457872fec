// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Verdicts as text for people, and as JSON for scripts. Pure. */

import { REASONS } from '../../semconv/names.ts';
import type { CatalogDifference, Verdict, VerdictKind } from '../../semconv/verdict.ts';
import type { PlainLog } from '../service/decode-otlp-json.ts';

/** Enough of a digest to tell two apart by eye. */
const SHORT = 12;
const COLOURS: Readonly<Record<VerdictKind, number>> = { converged: 32, stale: 31, incomplete: 33, unverifiable: 33 };

export function shortDigest(digest: string | undefined): string {
  return digest === undefined ? '-' : digest.slice(0, SHORT);
}

/**
 * Names come from servers. What could move the cursor, start a line of its own or turn text around is shown as an escape, or a
 * server could write verdicts on the user's terminal.
 */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`);
}

function paint(text: string, verdict: VerdictKind, colour: boolean): string {
  return colour ? `\u001b[${COLOURS[verdict]}m${text}\u001b[0m` : text;
}

export function describeChanges({ added, removed, changed }: CatalogDifference): readonly string[] {
  return [
    ...added.map((name) => `+${name}`),
    ...removed.map((name) => `-${name}`),
    ...changed.map((name) => `~${name}`),
  ];
}

/** One verdict on one line, and what to do on the next when something is to be done. */
export function formatVerdict(verdict: Verdict, colour: boolean): string {
  const { discoveredDigest, discoveredRevision, installedDigest, installedRevision, difference, notes } = verdict;
  const changes = describeChanges(difference);
  const details = [
    verdict.reason,
    `server=${verdict.serverName ?? '?'}`,
    `discovered=${shortDigest(discoveredDigest)}${discoveredRevision === undefined ? '' : ` r${discoveredRevision}`}`,
    `installed=${shortDigest(installedDigest)}${installedRevision === undefined ? '' : ` r${installedRevision}`}`,
    ...(changes.length > 0 ? [changes.join(' ')] : []),
    ...(notes.length > 0 ? [`(${notes.join(', ')})`] : []),
  ].map(printable);
  const time = new Date(verdict.timeMs).toISOString().slice(11, 23);
  const line = [`mcp-convergence ${time}`, paint(printable(verdict.verdict), verdict.verdict, colour), ...details].join(
    '  ',
  );
  return verdict.verdict === 'converged' ? line : `${line}\n                next: ${REASONS[verdict.reason].nextStep}`;
}

/** What was seen in the whole run: the last verdict of each connection and layer, and how many connections there were. */
export function formatSummary(last: readonly Verdict[], connections: number): string {
  if (connections === 0) {
    return 'mcp-convergence: no MCP client seen. The agent used none, it runs outside Node 22.15 or later, or it bundles its SDK (see instrumentTransport).';
  }
  const counts = new Map<VerdictKind, number>();
  for (const { verdict } of last) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  const said =
    [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(', ') || 'no catalog was listed or used';
  return `mcp-convergence: ${connections} connection${connections === 1 ? '' : 's'}, last verdicts: ${said}`;
}

/** Attributes under their registry names, and the time of the verdict. */
export function toJsonLine({ attributes, timeMs }: Pick<PlainLog, 'attributes' | 'timeMs'>): string {
  return JSON.stringify({ time: new Date(timeMs).toISOString(), ...attributes });
}
