// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * `npm run bench -- [topic ...] [--quick]`: runs each topic in a process of its own, so that none is slowed by what another
 * left in the heap or taught the compiler. The exit code is the worst of them.
 */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const TOPICS = ['core', 'digest', 'memory', 'codec', 'client'];

const asked = process.argv.slice(2).filter((argument) => argument !== '--quick');
const unknown = asked.filter((topic) => !TOPICS.includes(topic));
if (unknown.length > 0) {
  console.error(`no such topic: ${unknown.join(', ')}; there are ${TOPICS.join(', ')}`);
  process.exit(2);
}

let worst = 0;
for (const topic of asked.length > 0 ? asked : TOPICS) {
  const script = fileURLToPath(new URL(`./${topic}.ts`, import.meta.url));
  const flags = process.argv.includes('--quick') ? ['--quick'] : [];
  const { status } = spawnSync(process.execPath, ['--expose-gc', script, ...flags], { stdio: 'inherit' });
  worst = Math.max(worst, status ?? 1);
}
process.exit(worst);
