// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The protocol's conformance scenarios, run by a client of each SDK major without and with the instrumentation: it must
 * change no check. A run that was not looked at proves nothing, so each also states how many MCP messages it saw at least.
 */

import assert from 'node:assert/strict';
import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { installPinned } from '../support/cached-install.ts';
import { runProgram } from '../support/run-program.ts';
import { makeScratch } from '../support/scratch.ts';

const COUNT_MESSAGES = pathToFileURL(join(import.meta.dirname, 'count-messages.mjs')).href;

/** Passes or warns by how busy the machine is, with or without anything of ours. */
const TIMED = 'sse-retry: client-sse-retry-timing';

const RUNS = [
  {
    title: '0.1.16, client of SDK 1.x',
    runner: 'conformance-legacy',
    client: 'client-v1.mjs',
    suite: ['--suite', 'all'],
    // Scenarios that this client does not play, since its SDK has nothing for them.
    unplayed: ['auth/cross-app-access-complete-flow'],
    passes: 330,
    messages: 100,
  },
  {
    title: '0.2.0 with spec 2026-07-28, client of SDK 2.x',
    runner: 'conformance-modern',
    client: 'client-v2.mjs',
    suite: ['--suite', 'all', '--spec-version', '2026-07-28'],
    unplayed: [],
    passes: 460,
    messages: 100,
  },
];

let runners = '';

before(async () => {
  runners = join(await installPinned(join(import.meta.dirname, 'runners')), 'node_modules');
});

for (const { title, runner, client, suite, unplayed, passes, messages } of RUNS) {
  describe(title, () => {
    it('passes the same checks without and with the instrumentation', { timeout: 600_000 }, async (test) => {
      const plain = await conform(runner, client, suite);
      assert.deepEqual(
        plain.failed.filter((check) => !unplayed.some((one) => check.startsWith(one))),
        [],
      );
      assert.ok(plain.passed.length >= passes, `only ${plain.passed.length} checks passed`);

      const observed = await conform(runner, client, suite, ['--import', COUNT_MESSAGES]);
      test.diagnostic(`${observed.passed.length} checks passed, ${observed.messages} MCP messages seen`);
      assert.deepEqual(observed.failed, plain.failed);
      assert.deepEqual(observed.passed, plain.passed);
      assert.ok(observed.messages >= messages, `only ${observed.messages} MCP messages were seen`);
    });
  });
}

interface Outcome {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly messages: number;
}

async function conform(
  runner: string,
  client: string,
  suite: readonly string[],
  nodeFlags: readonly string[] = [],
): Promise<Outcome> {
  const results = makeScratch();
  const counts = join(results, 'messages');
  await appendFile(counts, '');
  const command = [process.execPath, ...nodeFlags, join(import.meta.dirname, client)].join(' ');
  const script = join(runners, runner, 'dist/index.js');
  await runProgram([script, 'client', '--command', command, ...suite, '-o', results], {
    env: { MCP_TEST_MESSAGES: counts },
    timeoutMs: 300_000,
  });
  const checks = await readChecks(results);
  const counted = checks.filter((check) => check.name !== TIMED);
  const named = (status: string) => counted.filter((check) => check.status === status).map((check) => check.name);
  return {
    passed: named('SUCCESS').sort(),
    failed: named('FAILURE').sort(),
    messages: (await readFile(counts, 'utf8')).split('\n').reduce((sum, line) => sum + Number(line), 0),
  };
}

/** Every check under the name of its scenario; a folder of results is the scenario's name and a time. */
async function readChecks(results: string) {
  const files = (await readdir(results, { recursive: true })).filter((file) => file.endsWith('checks.json'));
  const lists = await Promise.all(
    files.map(async (file) => {
      const scenario = file.replace(/-\d{4}-\d\d-\d\dT[^/]*\/checks\.json$/, '');
      const checks: { id: string; status: string }[] = JSON.parse(await readFile(join(results, file), 'utf8'));
      return checks.map(({ id, status }) => ({ name: `${scenario}: ${id}`, status }));
    }),
  );
  return lists.flat();
}
