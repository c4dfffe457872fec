// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The host of `host.mjs` on `@modelcontextprotocol/client` 2.x: `node agent-v2.mjs PLAN.json TARGET`. */

import {
  Client,
  InMemoryResponseCacheStore,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { runHost } from './host.mjs';

/** An entry that a signal has made worthless stays in it. */
class StuckStore extends InMemoryResponseCacheStore {
  delete() {
    throw new Error('the store is read-only');
  }
}

await runHost(
  {
    createClient: ({ era, listChanged, listMaxPages, stuckCache }) =>
      new Client(
        { name: 'agent-v2', version: '1.0.0' },
        {
          ...(era === 'modern' && { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
          ...(listChanged && { listChanged }),
          ...(listMaxPages !== undefined && { listMaxPages }),
          ...(stuckCache && { responseCacheStore: new StuckStore() }),
        },
      ),
    createTransport: ({ command, args, url, sse }) => {
      if (command) return new StdioClientTransport({ command, args });
      return sse ? new SSEClientTransport(new URL(url)) : new StreamableHTTPClientTransport(new URL(url));
    },
    onSignal: (client, handler) => client.setNotificationHandler('notifications/tools/list_changed', handler),
    call: (client, name, options) => client.callTool({ name }, options),
    // `listTools()` would walk on by itself.
    listPage: (client, cursor, options) =>
      cursor === undefined
        ? client.request({ method: 'tools/list', params: {} }, options)
        : client.listTools({ cursor }, options),
    listAll: (client, options, fromCache) =>
      client.listTools(undefined, fromCache ? options : { ...options, cacheMode: 'refresh' }),
  },
  process.argv.slice(2),
);
