// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * An agent on `@modelcontextprotocol/sdk` 1.x, where following cursors is the application's own work. It knows nothing of the
 * instrumentation; as a host it says which tools it registered, which does nothing when no instrumentation is loaded.
 *
 *     node agent-v1.mjs '<server plan>' '{ "follows": "every cursor" | "no cursor", "onChange": "refresh" }'
 */

import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { reportInstalledRegistry } from 'mcp-convergence/instrumentation';

const [, , plan, habits] = process.argv;
const { follows, onChange } = JSON.parse(habits);
const client = new Client({ name: 'help-desk', version: '1.0.0' });

async function listAndInstall() {
  const tools = [];
  let cursor;
  do {
    const page = await client.listTools(cursor === undefined ? undefined : { cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined && follows === 'every cursor');
  reportInstalledRegistry(client, { tools });
}

await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [fileURLToPath(new URL('../ticket-server.mjs', import.meta.url)), plan],
  }),
);
await listAndInstall();
if (onChange === 'refresh') {
  const refreshed = new Promise((resolve, reject) => {
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => listAndInstall().then(resolve, reject));
  });
  await client.callTool({ name: 'release' });
  await refreshed;
}
await new Promise((resolve) => setTimeout(resolve, 1500));
await client.close();
