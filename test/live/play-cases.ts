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
  // Here, and not in a suite: a plan that nobody can carry out has to fail everything.
  const cases = await Promise.all(
    names.sort().map(async (name) => {
      const folder = join(CASES_FOLDER, name);
      return { ...readCase(folder), ...(await readPlanOf(folder)), name };
    }),
  );
  await describe('a live run of', { concurrency: availableParallelism() }, () => {
    for (const { name, folder, title, expected, clients, era, transport } of cases) {
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
