// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The host of `host.mjs` on `@modelcontextprotocol/sdk` 1.x: `node agent-v1.mjs PLAN.json TARGET`. */

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { runHost } from './host.mjs';

const listPage = (client, cursor, options) => client.listTools(cursor === undefined ? undefined : { cursor }, options);

await runHost(
  {
    createClient: ({ listChanged }) =>
      new Client({ name: 'agent-v1', version: '1.0.0' }, listChanged && { listChanged }),
    createTransport: ({ command, args, url, sse }) => {
      if (command) return new StdioClientTransport({ command, args });
      return sse ? new SSEClientTransport(new URL(url)) : new StreamableHTTPClientTransport(new URL(url));
    },
    onSignal: (client, handler) => client.setNotificationHandler(ToolListChangedNotificationSchema, handler),
    call: (client, name, options) => client.callTool({ name }, undefined, options),
    listPage,
    // Following cursors is the application's own work here, and it gives up on a server that never comes to an end.
    listAll: async (client, options) => {
      const tools = [];
      let page;
      for (let pages = 0; pages < 20 && (pages === 0 || page.nextCursor !== undefined); pages++) {
        page = await listPage(client, page?.nextCursor, options);
        tools.push(...page.tools);
      }
      return { tools };
    },
  },
  process.argv.slice(2),
);
