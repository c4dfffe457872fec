// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Public reports, replayed live: every `plan.json` below `test/cases` is run with each SDK major that it names, and all
 * verdicts of the run, in order, have to be those of the `case.json` beside it.
 */

import assert from 'node:assert/strict';
import { glob } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../support/cached-install.ts';
import type { Attributes } from '../support/otlp-sink.ts';
import { type ExpectedVerdict, readCase, readPlanOf, runPlan } from './run-plan.ts';

/** A run is mostly waiting: several at once, even on two cores. */
const RUNS_AT_ONCE = 4;
const CASES = join(ROOT, 'test/cases');
/** Of one case or kind only: `LIVE_CASES='storms/*' node --test test/live/live.test.ts`. */
const PATTERN = process.env.LIVE_CASES ?? '*/*';

const folders: string[] = [];
for await (const plan of glob(`${PATTERN}/plan.json`, { cwd: CASES })) folders.push(join(CASES, dirname(plan)));
// Here, and not in a suite: a plan that nobody can carry out has to fail everything.
const cases = await Promise.all(
  folders.sort().map(async (folder) => ({ folder, ...(await readCase(folder)), ...(await readPlanOf(folder)) })),
);

/** As much of a verdict event as `expected` tells. */
function excerpt(verdict: Attributes, expected: ExpectedVerdict | undefined): ExpectedVerdict {
  const of = (name: string) => verdict[`mcp_convergence.${name}`];
  const names = (name: string) => (of(name) ?? []) as readonly string[];
  const { difference } = expected ?? {};
  return {
    verdict: String(of('verdict')),
    reason: String(of('reason')),
    ...(expected?.layer !== undefined && { layer: String(of('layer')) }),
    ...(expected?.notes && { notes: names('notes') }),
    ...(difference && {
      difference: Object.fromEntries(
        (['added', 'removed', 'changed'] as const)
          .filter((each) => difference[each] !== undefined)
          .map((each) => [each, names(`tools.${each}`)]),
      ),
    }),
  };
}

describe('a live run of', { concurrency: RUNS_AT_ONCE }, () => {
  for (const { folder, title, expected, clients, era, transport } of cases) {
    const name = `${basename(dirname(folder))}/${basename(folder)}`;
    for (const client of clients) {
      it(`${name} with SDK ${client} (${era}, ${transport}): ${title}`, async () => {
        const { code, verdicts, stderr } = await runPlan(folder, client);
        const seen = verdicts.map((verdict, index) => excerpt(verdict, expected[index]));
        assert.deepEqual(seen, expected, stderr);
        assert.equal(code, 0, stderr);
      });
    }
  }
});

describe('the live cases', () => {
  it('are found', () => assert.ok(cases.length > 0));
});
