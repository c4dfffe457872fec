// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * An agent on `@modelcontextprotocol/client` 2.x, where one `listTools()` follows every cursor. It knows nothing of the
 * instrumentation; as a host it says which tools it registered, which does nothing when no instrumentation is loaded.
 *
 *     node agent-v2.mjs '<server plan>' '{ "onChange": "ignore" | "compare names" }'
 */

import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { reportInstalledRegistry } from 'mcp-convergence/instrumentation';

const [, , plan, habits] = process.argv;
const { onChange } = JSON.parse(habits);
const client = new Client({ name: 'help-desk', version: '1.0.0' });
const names = (tools) => tools.map((tool) => tool.name).join();

await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [fileURLToPath(new URL('../ticket-server.mjs', import.meta.url)), plan],
  }),
);
const { tools: installed } = await client.listTools();
reportInstalledRegistry(client, { tools: installed });

if (onChange === 'compare names') {
  const looked = new Promise((resolve, reject) => {
    client.setNotificationHandler('notifications/tools/list_changed', async () => {
      try {
        const { tools } = await client.listTools();
        // The bug of this case: a changed input schema under an old name is not installed.
        if (names(tools) !== names(installed)) reportInstalledRegistry(client, { tools });
        resolve();
      } catch (error) {
        reject(error);
      }
    });
  });
  await client.callTool({ name: 'release' });
  await looked;
}
if (onChange === 'ignore') await client.callTool({ name: 'release' });
await new Promise((resolve) => setTimeout(resolve, 1500));
await client.close();
