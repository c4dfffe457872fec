// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Records the live cases: plays each plan with the first SDK that it names and keeps what was observed as the recording of the
 * case, provided that the verdicts were those expected. `node test/live/record.ts 'storms/*'` does those of one kind; without a
 * pattern only cases that have no recording yet are played.
 */

import { existsSync } from 'node:fs';
import { copyFile, glob } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CASES_FOLDER, readCase } from '../support/case-files.ts';
import { makeScratch } from '../support/scratch.ts';
import { readPlanOf, runPlan } from './run-plan.ts';

const RECORDING = 'observations.jsonl';
const [, , pattern] = process.argv;
const scratch = makeScratch();
const folders: string[] = [];
for await (const plan of glob(`${pattern ?? '*/*'}/plan.json`, { cwd: CASES_FOLDER })) {
  const folder = join(CASES_FOLDER, dirname(plan));
  if (pattern !== undefined || !existsSync(join(folder, RECORDING))) folders.push(folder);
}
folders.sort();

async function record(folder: string): Promise<void> {
  const [client = 'v2'] = (await readPlanOf(folder)).clients;
  const file = join(scratch, `${folders.indexOf(folder)}.jsonl`);
  const { code, verdicts, stderr } = await runPlan(folder, client, ['--record', file]);
  const words = verdicts.map(({ reason }) => reason);
  const expected = readCase(folder).expected.map(({ reason }) => reason);
  const name = folder.slice(CASES_FOLDER.length + 1);
  if (code === 0 && words.join() === expected.join()) {
    await copyFile(file, join(folder, RECORDING));
    console.log(`recorded  ${name}`);
  } else {
    process.exitCode = 1;
    console.log(`not as expected  ${name}: ${words.join()} (exit ${code})${code === 0 ? '' : `\n${stderr}`}`);
  }
}

const queue = [...folders];
/** Two at once, on as many cores. */
await Promise.all(
  [1, 2].map(async () => {
    for (let folder = queue.shift(); folder !== undefined; folder = queue.shift()) await record(folder);
  }),
);
