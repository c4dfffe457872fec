// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Every example is run, as its reader would run it; each asserts for itself. */

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../support/cached-install.ts';
import { runProgram } from '../support/run-program.ts';

const EXAMPLES = join(ROOT, 'examples');
const stories = (await readdir(EXAMPLES, { withFileTypes: true })).filter((entry) => entry.isDirectory());

describe('example', () => {
  for (const { name } of stories) {
    it(`${name} shows what it says`, async () => {
      const ended = await runProgram([join(EXAMPLES, name, 'main.mjs')], { cwd: ROOT });
      assert.equal(ended.code, 0, ended.stdout + ended.stderr);
    });
  }
});
