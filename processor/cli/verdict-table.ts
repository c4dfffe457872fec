// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Verdicts as rows of a table for people. Pure. */

import { REASONS, VALUES } from '../../semconv/names.ts';
import type { Verdict } from '../../semconv/verdict.ts';
import { describeChanges, printable, shortDigest } from './verdict-lines.ts';

const longest = (words: readonly string[]): number => Math.max(...words.map((word) => word.length));

/** Wide enough for every word that may stand there; the last column takes what is left. */
const COLUMNS: readonly (readonly [name: string, width: number, cell: (verdict: Verdict) => string])[] = [
  ['time', 24, ({ timeMs }) => new Date(timeMs).toISOString()],
  ['connection', 26, ({ connectionId }) => connectionId],
  ['server', 16, ({ serverName }) => serverName ?? '?'],
  ['layer', longest(VALUES['mcp_convergence.layer']), ({ layer }) => layer],
  ['verdict', longest(VALUES['mcp_convergence.verdict']), ({ verdict }) => verdict],
  ['reason', longest(Object.keys(REASONS)), ({ reason }) => reason],
  ['discovered', 12, ({ discoveredDigest }) => shortDigest(discoveredDigest)],
  ['installed', 12, ({ installedDigest }) => shortDigest(installedDigest)],
  ['changes, notes', 0, ({ difference, notes }) => [...describeChanges(difference), ...notes].join(' ') || '-'],
];

function line(cells: readonly string[]): string {
  return cells
    .map((cell, column) => cell.padEnd(COLUMNS[column]?.[1] ?? 0))
    .join('  ')
    .trimEnd();
}

export function formatHead(): readonly string[] {
  const names = COLUMNS.map(([name]) => name);
  return [line(names), line(COLUMNS.map(([name, width]) => '-'.repeat(Math.max(width, name.length))))];
}

export function formatRow(verdict: Verdict): string {
  return line(COLUMNS.map(([, , cell]) => printable(cell(verdict))));
}
