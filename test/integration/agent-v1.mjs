// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * An application on `@modelcontextprotocol/sdk` 1.x that does the steps it is told, and prints what it saw as JSON.
 *
 *     node agent-v1.mjs '{ "command", "args" } | { "url", "sse" }' '[Step...]'
 *
 * Step: 'list' (every page), 'first page', 'install' (report the last list as the registry), { call, arguments },
 * { write, text } (a file), { wait: ms }, 'signal' (wait until one more has reached the application), 'close'.
 */

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { takeSteps } from './steps.mjs';

const target = JSON.parse(process.argv[2]);
const client = new Client({ name: 'agent-v1', version: '1.0.0' });

async function listPage(cursor) {
  return client.listTools(cursor === undefined ? undefined : { cursor });
}

await takeSteps(client, {
  connect: () => client.connect(createTransport()),
  onSignal: (handler) => client.setNotificationHandler(ToolListChangedNotificationSchema, handler),
  listFirst: () => listPage(),
  listAll: async () => {
    const tools = [];
    let page;
    do {
      page = await listPage(page?.nextCursor);
      tools.push(...page.tools);
    } while (page.nextCursor !== undefined);
    return { tools };
  },
});

function createTransport() {
  if (target.command) return new StdioClientTransport(target);
  const url = new URL(target.url);
  return target.sse ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url);
}
