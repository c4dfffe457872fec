// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Bundles the application, the SDK inside of it, and runs the result under `mcp-convergence run`. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));
// Beside this file, so that what stays outside of the bundle is found from it.
const folder = await mkdtemp(here('bundle-'));
try {
  await build({
    config: false,
    entry: { app: here('app.mjs') },
    outDir: folder,
    format: 'esm',
    platform: 'node',
    dts: false,
    logLevel: 'error',
    deps: { alwaysBundle: [/^@modelcontextprotocol\//], onlyBundle: false },
  });
  const bundle = (await readdir(folder)).find((file) => file.startsWith('app.'));
  if (/from ["']@modelcontextprotocol\//.test(await readFile(join(folder, bundle), 'utf8'))) {
    throw new Error('the SDK was left outside of the bundle');
  }
  const verdicts = join(folder, 'verdicts.jsonl');
  const command = [process.execPath, join(folder, bundle), new URL('../ticket-server.mjs', import.meta.url).href];
  const cli = here('../../dist/processor/cli/main.mjs');
  const child = spawn(process.execPath, [cli, 'run', '--json', verdicts, '--', ...command], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  const last = (await readFile(verdicts, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .at(-1);
  process.exitCode = code === 0 && last?.['mcp_convergence.verdict'] === 'converged' ? 0 : 1;
} finally {
  await rm(folder, { recursive: true });
}
