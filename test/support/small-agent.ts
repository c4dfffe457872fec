// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Source text of small agents against the raw server, written where their imports resolve from the repository. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './cached-install.ts';
import { makeScratch } from './scratch.ts';

const RAW = join(ROOT, 'test/servers/raw.mjs');
const REPORT = join(ROOT, 'dist/instrumentation/index.mjs');

/** Connects, lists, reports; leaves `client`, `tools` and `change` (swap the catalog and signal) behind. */
export const AGENT: string = `
  import { Client } from '@modelcontextprotocol/sdk/client/index.js';
  import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
  import { reportInstalledRegistry } from ${JSON.stringify(REPORT)};
  const plan = { catalogs: [[{ tools: ['a', 'b'] }], [{ tools: ['a'] }]] };
  const client = new Client({ name: 'agent', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [${JSON.stringify(RAW)}, JSON.stringify(plan)] }));
  const { tools } = await client.listTools();
  reportInstalledRegistry(client, { tools });
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const change = () => client.callTool({ name: 'control', arguments: { swap: 'next', signal: true } });`;

export function writeProgram(source: string, name = 'agent.mjs'): string {
  const file = join(makeScratch(join(ROOT, 'node_modules')), name);
  writeFileSync(file, source);
  return file;
}
