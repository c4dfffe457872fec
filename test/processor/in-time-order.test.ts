// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Several connections in one recording, in the order of their batches. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inTimeOrder } from '../../processor/recording/in-time-order.ts';
import { Replay } from '../../processor/recording/replay.ts';
import type { Observation } from '../../semconv/observation.ts';
import { readCases, readLines } from '../support/case-files.ts';
import { SAMPLES } from '../support/sample-observations.ts';

/** `a1@5`: the first observation of connection a, at 5 ms. */
const at = (text: string): Observation => {
  const [, connectionId = '', sequence, timeMs] = /^([a-z]+)(\d+)@(\d+)$/.exec(text) ?? [];
  return { ...SAMPLES[0]!, connectionId, sequence: Number(sequence), timeMs: Number(timeMs) };
};
const name = ({ connectionId, sequence, timeMs }: Observation): string => `${connectionId}${sequence}@${timeMs}`;

async function* given(observations: Iterable<Observation>): AsyncGenerator<Observation> {
  yield* observations;
}

async function order(text: string, window?: number): Promise<string> {
  const ordered: string[] = [];
  for await (const observation of inTimeOrder(given(text.split(' ').map(at)), window)) ordered.push(name(observation));
  return ordered.join(' ');
}

describe('a recording of several connections', () => {
  it('is put into the order of their times, those of one time as they came', async () => {
    assert.equal(await order('b1@1 b2@9 b3@12 a1@2 a2@9 a3@30 b4@13'), 'b1@1 a1@2 b2@9 a2@9 b3@12 b4@13 a3@30');
  });

  it('keeps the order of the file within a connection, whatever its clock says', async () => {
    assert.equal(await order('a1@5 a3@7 a2@6 b1@6 a4@1 b2@8'), 'a1@5 b1@6 a3@7 a2@6 a4@1 b2@8');
  });

  it('passes on what is later than the window as it comes, and loses nothing', async () => {
    assert.equal(await order('a1@3 a2@4 b1@5 b2@9 c1@1 a3@2 a4@6', 2), 'a1@3 a2@4 c1@1 a3@2 b1@5 a4@6 b2@9');
  });

  it('is never in memory as a whole', async () => {
    let read = 0;
    async function* endless() {
      for (; ; read += 1) yield at(`${'ab'.charAt(read % 2)}${read}@${1_000_000 + read}`);
    }
    let passed = 0;
    for await (const observation of inTimeOrder(endless(), 100)) {
      assert.equal(observation.timeMs, 1_000_000 + passed);
      passed += 1;
      assert.ok(read - passed < 200);
      if (passed === 5000) break;
    }
  });

  it('that is written late is judged as if it were alone', async () => {
    const one = readCases().find((each) => each.name === 'trailing-list-after-one-in-flight');
    const alone = readLines(one!);
    const verdicts = async (observations: readonly Observation[]) => {
      const replay = new Replay(one?.limits);
      const steps = [];
      for await (const each of inTimeOrder(given(observations))) steps.push(...replay.observe(each));
      return [...steps, replay.end()].flatMap((step) => step.verdicts).filter((each) => each.connectionId !== 'z');
    };
    const expected = await verdicts(alone);
    assert.ok(expected.length > 0);
    const later = alone.map((each) => ({ ...each, connectionId: 'z', timeMs: each.timeMs + 60_000 }));
    for (let split = 0; split <= alone.length; split += 1)
      assert.deepEqual(await verdicts([...alone.slice(0, split), ...later, ...alone.slice(split)]), expected);
  });
});
