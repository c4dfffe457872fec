// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Every case gives its verdicts, and together they leave no reason and no transition out. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { DEFAULT_LIMITS, TRANSITIONS } from '../../processor/core/index.ts';
import { REASONS, VALUES } from '../../semconv/names.ts';
import { ROOT } from '../support/cached-install.ts';
import { assertExpected, CASES_FOLDER, type Case, readCases, readLines, replayCase } from '../support/case-files.ts';

const CASES = readCases();
const read = (file: string): object => JSON.parse(readFileSync(file, 'utf8'));
const ajv = new Ajv2020({ allErrors: true });
const isLine = ajv.compile(read(join(ROOT, 'semconv/recording.schema.json')));
const isCase = ajv.compile(read(join(CASES_FOLDER, 'case.schema.json')));

/** Cells of the transition table that were looked up since, as `phase event`. */
const crossed = new Set<string>();
for (const [phase, row] of Object.entries(TRANSITIONS)) {
  const watched = new Proxy(row, {
    get: (target, event) => {
      crossed.add(`${phase} ${String(event)}`);
      return Reflect.get(target, event);
    },
  });
  Reflect.set(TRANSITIONS, phase, watched);
}

const UNREACHABLE: Readonly<Record<string, string>> = {
  'current overtaken': 'the signal that overtakes the walk comes first, and makes the phase signalled',
  'current settled': 'the same',
  'current storm': 'the first signal is never one too many',
  'storm signal': 'what ends a storm forgets its signals, so each further one is one too many',
};

for (const kind of new Set(CASES.map((one) => one.kind))) {
  describe(kind, () => {
    for (const one of CASES.filter((each) => each.kind === kind)) {
      it(`${one.name}: ${one.title}`, () => {
        const { verdicts, counters } = replayCase(one);
        assertExpected(verdicts, one.expected);
        for (const [key, value] of Object.entries(one.counters ?? {}))
          assert.deepEqual(Reflect.get(counters, key), value);
      });
    }
  });
}

describe('the cases', () => {
  it('are well-formed, each line of a recording by the published schema', () => {
    const isJunk = (one: Case) => one.counters?.dropped?.not_an_observation !== undefined;
    for (const one of CASES) {
      assert.ok(isCase(read(join(one.folder, 'case.json'))), `${one.name}: ${ajv.errorsText(isCase.errors)}`);
      for (const line of isJunk(one) ? [] : readLines(one))
        assert.ok(isLine(line), `${one.name} ${JSON.stringify(line)}: ${ajv.errorsText(isLine.errors)}`);
    }
    assert.ok(!isLine({ kind: 'signal' }) && !isLine({ ...readLines(CASES[0] as Case)[0], sequence: 0 }));
  });

  it('have a case for every reason and every note', () => {
    const expected = CASES.flatMap((one) => one.expected);
    const reasons = new Set(expected.map(({ reason }) => reason));
    const notes = new Set(CASES.flatMap((one) => replayCase(one).verdicts).flatMap((verdict) => verdict.notes));
    assert.deepEqual(
      Object.keys(REASONS).filter((reason) => !reasons.has(reason as keyof typeof REASONS)),
      [],
    );
    assert.deepEqual(
      VALUES['mcp_convergence.notes'].filter((note) => !notes.has(note)),
      [],
    );
  });

  it('cross every cell of the transition table but those that no sequence can reach', () => {
    const cells = Object.entries(TRANSITIONS).flatMap(([phase, row]) =>
      Object.keys(row).map((event) => `${phase} ${event}`),
    );
    crossed.clear();
    for (const one of CASES) replayCase(one);
    const left = cells.filter((cell) => !crossed.has(cell));
    assert.deepEqual(left, Object.keys(UNREACHABLE));
  });

  it('hit every limit of the engine', () => {
    const bounded = new Set(CASES.flatMap(({ limits = {} }) => Object.keys(limits)));
    assert.deepEqual(
      Object.keys(DEFAULT_LIMITS).filter((limit) => !bounded.has(limit)),
      [],
    );
  });
});
