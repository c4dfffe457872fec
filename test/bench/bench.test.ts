// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../support/run-program.ts';

const BENCH = fileURLToPath(new URL('./bench.ts', import.meta.url));
/** Of each topic: its first word, and how many rows its table has when it is quick. */
const TOPICS: Readonly<Record<string, number>> = { core: 4, digest: 6, memory: 3, codec: 7, client: 6 };

describe('the benchmark', () => {
  for (const [topic, rows] of Object.entries(TOPICS)) {
    it(`prints a table of ${topic} in which every number is one`, async () => {
      const { code, stdout, stderr } = await runProgram([BENCH, topic, '--quick']);
      assert.equal(code, 0, stdout + stderr);
      assert.equal(stderr, '');
      const lines = stdout.split('\n').filter((line) => line !== '');
      assert.ok(lines[0]?.startsWith(`${topic}: `), stdout);
      assert.ok(lines[1]?.startsWith('floor: '), stdout);
      const cells = lines.slice(4).map((line) => line.split('|').slice(2, -1));
      assert.equal(cells.length, rows, stdout);
      for (const [ratio = '', ...others] of cells) {
        assert.ok(Number(ratio) > 0, stdout);
        for (const cell of others) assert.match(cell, /^ +[\d.,]+( to [\d.,]+)? $/);
      }
    });
  }

  it('knows its topics', async () => {
    const { code, stderr } = await runProgram([BENCH, 'speed', '--quick']);
    assert.equal(code, 2);
    assert.match(stderr, /no such topic: speed/);
  });
});
