// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * An application on `@modelcontextprotocol/client` 2.x that does the steps it is told, as `agent-v1.mjs` describes them, but for
 * 'first page', which this SDK cannot ask for. In the legacy era or, with `"modern": true` in its first argument, in whichever the server offers.
 */

import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { takeSteps } from './steps.mjs';

const target = JSON.parse(process.argv[2]);
let signalled = () => {};
const client = new Client(
  { name: 'agent-v2', version: '1.0.0' },
  target.modern
    ? {
        versionNegotiation: { mode: 'auto' },
        // Modern signals travel on a stream that the SDK opens only for this option.
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => signalled() } },
      }
    : {},
);

await takeSteps(client, {
  connect: () => client.connect(createTransport()),
  onSignal: (handler) => {
    if (target.modern) signalled = handler;
    else client.setNotificationHandler('notifications/tools/list_changed', handler);
  },
  listAll: () => client.listTools(),
});

function createTransport() {
  if (target.command) return new StdioClientTransport(target);
  const url = new URL(target.url);
  return target.sse ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url);
}
