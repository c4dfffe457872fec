// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** `use-v1.mjs` as a CommonJS application. */

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { reportInstalledRegistry } = require('mcp-convergence/instrumentation');

async function main() {
  const [, , command, ...args] = process.argv;
  const client = new Client({ name: 'use-v1', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command, args }));
  const { tools } = await client.listTools();
  reportInstalledRegistry(client, { tools });
  console.log(tools.map((tool) => tool.name).join());
  await client.close();
}

main();
