// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * An application that is shipped as one bundled file. No loader hook can find the SDK inside of it, so it hands its transport
 * over itself; that one line is harmless where hooks do work.
 */

import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { instrumentTransport, reportInstalledRegistry } from 'mcp-convergence/instrumentation';

const [, , server] = process.argv;
const plan = {
  listChanged: true,
  catalogs: [[[{ name: 'read_ticket', inputSchema: { type: 'object' } }]]],
};

const client = new Client({ name: 'help-desk', version: '1.0.0' });
const transport = instrumentTransport(
  new StdioClientTransport({ command: process.execPath, args: [fileURLToPath(server), JSON.stringify(plan)] }),
);
await client.connect(transport);
const { tools } = await client.listTools();
reportInstalledRegistry(transport, { tools });
await client.close();
