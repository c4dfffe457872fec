// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The application of the stories `own-sdk` and `no-sdk`: an ordinary MCP client that knows nothing of OpenTelemetry. It lists
 * the tools, says what it registered, and ends.
 */

import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { reportInstalledRegistry } from 'mcp-convergence/instrumentation';

const plan = {
  listChanged: true,
  catalogs: [[[{ name: 'read_ticket', inputSchema: { type: 'object' } }]]],
};

const client = new Client({ name: 'help-desk', version: '1.0.0' });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [fileURLToPath(new URL('ticket-server.mjs', import.meta.url)), JSON.stringify(plan)],
  }),
);
const { tools } = await client.listTools();
reportInstalledRegistry(client, { tools });
await client.callTool({ name: 'read_ticket' });
await client.close();
