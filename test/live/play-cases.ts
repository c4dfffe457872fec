// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Cases, played live: each `plan.json` below `test/cases` with each SDK major that it names. All verdicts of a run, in order, have
 * to be those of the `case.json` beside it.
 */

import assert from 'node:assert/strict';
import { glob } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { assertExpected, CASES_FOLDER, readCase } from '../support/case-files.ts';
import { readPlanOf, runPlan } from './run-plan.ts';

/** @param pattern of folders, `kind/name`. A run has three processes that wait most of the time, and a grace that is short. */
export async function playCases(pattern: string): Promise<void> {
  const names: string[] = [];
  for await (const plan of glob(`${pattern}/plan.json`, { cwd: CASES_FOLDER })) names.push(dirname(plan));
  await describe('a live run of', { concurrency: availableParallelism() }, async () => {
    for (const name of names.sort()) {
      const folder = join(CASES_FOLDER, name);
      const { title, expected } = readCase(folder);
      const { clients, era, transport } = await readPlanOf(folder);
      for (const client of clients) {
        it(`${name} with SDK ${client} (${era}, ${transport}): ${title}`, async () => {
          const { code, verdicts, stderr } = await runPlan(folder, client);
          assert.equal(code, 0, stderr);
          assertExpected(verdicts, expected);
        });
      }
    }
    it(`${pattern} finds plans`, () => assert.ok(names.length > 0));
  });
}
