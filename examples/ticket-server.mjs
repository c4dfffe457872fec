// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The server of every story here: an ordinary low-level MCP server on stdio. Its one argument is a JSON plan,
 * `{ listChanged, catalogs: [[page, ...], ...] }`, where a page is a list of tools. A call of its tool `release` puts the next
 * catalog in place and, when it declared `listChanged`, signals that.
 */

import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const { listChanged, catalogs } = JSON.parse(process.argv[2]);
const capabilities = { tools: listChanged ? { listChanged } : {} };
const server = new Server({ name: 'tickets', version: '1.0.0' }, { capabilities });
let [current] = catalogs;

server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
  const page = Number(params?.cursor ?? 0);
  const more = page + 1 < current.length;
  return { tools: current[page], ...(more ? { nextCursor: String(page + 1) } : {}) };
});

server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  if (params.name === 'release') {
    current = catalogs[catalogs.indexOf(current) + 1];
    if (listChanged) await server.sendToolListChanged();
  }
  return { content: [{ type: 'text', text: `${params.name} done` }] };
});

process.stdin.on('close', () => process.exit(0));
await server.connect(new StdioServerTransport());
