// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Cases as files, `test/cases/<kind>/<name>/`: `case.json` says where it comes from and what is expected, `observations.jsonl` is
 * the recording. Both formats are described in test/cases/README.md.
 */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Counters, Limits } from '../../processor/core/index.ts';
import { Replay } from '../../processor/recording/replay.ts';
import type { Observation } from '../../semconv/observation.ts';
import type { CatalogDifference, Verdict } from '../../semconv/verdict.ts';
import { ROOT } from './cached-install.ts';

export type Expected = Pick<Verdict, 'verdict' | 'reason'> &
  Partial<Omit<Verdict, 'difference'>> & { readonly difference?: Partial<CatalogDifference> };

export interface Case {
  readonly kind: string;
  readonly name: string;
  readonly folder: string;
  readonly title: string;
  readonly origin: string;
  readonly limits?: Partial<Limits>;
  /** All verdicts, in order; only the members that are there are compared. */
  readonly expected: readonly Expected[];
  readonly counters?: Partial<Counters>;
}

export const CASES_FOLDER: string = join(ROOT, 'test/cases');

export function readCases(): readonly Case[] {
  return listFolders(CASES_FOLDER).flatMap((kind) =>
    listFolders(join(CASES_FOLDER, kind)).map((name) => readCase(join(CASES_FOLDER, kind, name))),
  );
}

export function readCase(folder: string): Case {
  const said = JSON.parse(readFileSync(join(folder, 'case.json'), 'utf8'));
  return { kind: basename(dirname(folder)), name: basename(folder), folder, ...said };
}

function listFolders(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

/** Lines as they stand, since some cases are about lines that are no observation. */
export function readLines({ folder }: Case): readonly Observation[] {
  const file = join(folder, 'observations.jsonl');
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

export function replayCase(one: Case): { readonly verdicts: readonly Verdict[]; readonly counters: Counters } {
  const replay = new Replay(one.limits);
  const steps = [...readLines(one).flatMap((line) => replay.observe(line)), replay.end()];
  return { verdicts: steps.flatMap((step) => step.verdicts), counters: replay.counters() };
}

/** Compares the words first, so that a wrong sequence is told as one. */
export function assertExpected(verdicts: readonly Partial<Verdict>[], expected: readonly Expected[]): void {
  const words = (list: readonly Pick<Partial<Verdict>, 'verdict' | 'reason'>[]) =>
    list.map(({ verdict, reason }) => `${verdict}/${reason}`);
  assert.deepEqual(words(verdicts), words(expected));
  expected.forEach((members, index) => {
    const verdict = verdicts[index] ?? {};
    const { difference = {}, ...others } = members;
    for (const [key, value] of Object.entries(others))
      assert.deepEqual(Reflect.get(verdict, key), value, `verdict ${index + 1}, ${key}`);
    for (const [key, value] of Object.entries(difference))
      assert.deepEqual(Reflect.get(verdict.difference ?? {}, key), value, `verdict ${index + 1}, tools ${key}`);
  });
}
