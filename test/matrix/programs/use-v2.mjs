// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** An ESM application on SDK 2.x. Lists, reports what it registered, and prints the names. Argument: command line of a server. */

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { reportInstalledRegistry } from 'mcp-convergence/instrumentation';

const [, , command, ...args] = process.argv;
const client = new Client({ name: 'use-v2', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command, args }));
const { tools } = await client.listTools();
reportInstalledRegistry(client, { tools });
console.log(tools.map((tool) => tool.name).join());
await client.close();
