// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * A scripted server on the low-level `Server` of `@modelcontextprotocol/sdk` 1.x.
 *
 *     node test/servers/sdk-v1.mjs stdio|http|sse '<plan as JSON>'
 *
 * The plan is described in `script.mjs`. `http` (Streamable HTTP with sessions) and `sse` listen on a free loopback port and
 * print their URL as the first line.
 */

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  InitializedNotificationSchema,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { answer, control, readPlan, ScriptedCatalogs, ScriptedError } from './script.mjs';

const [, , kind = 'stdio', json] = process.argv;
const plan = readPlan(json);
const catalogs = new ScriptedCatalogs(plan);
/** Transports by session id; event streams by the response that carries them. */
const sessions = new Map();
const streams = new Set();

function createScriptedServer() {
  const capabilities = { tools: plan.listChanged ? { listChanged: true } : {} };
  const server = new Server({ name: 'scripted-v1', version: '1.0.0' }, { capabilities });
  const acts = { ...shared, signal: () => signal(server) };
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
    translate(() => catalogs.list(params?.cursor, acts.signal)),
  );
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    if (params.name === 'control') await control(catalogs, params.arguments ?? {}, acts);
    else await translate(() => catalogs.call(params.name));
    return answer(params.name);
  });
  if (plan.signalAfterInitialized) server.setNotificationHandler(InitializedNotificationSchema, acts.signal);
  return server;
}

/** `Server.sendToolListChanged` refuses what was not declared, and some of our cases are about just that. */
const signal = (server) => server.transport?.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });

/** What all sessions share. */
const shared = {
  refuseGet: (refuse) => {
    plan.refuseGet = refuse;
  },
  drop: () => {
    for (const stream of streams) stream.destroy();
    streams.clear();
  },
  // After the answer to this call, which still belongs to the session.
  forget: () => setImmediate(() => sessions.clear()),
};

async function translate(act) {
  try {
    return await act();
  } catch (error) {
    throw error instanceof ScriptedError ? new McpError(error.code, error.message) : error;
  }
}

async function serveStreamableHttp(request, response) {
  // For tests that wait: how many event streams there are.
  if (request.method === 'OPTIONS') return response.end(String(streams.size));
  const id = request.headers['mcp-session-id'];
  if (request.method === 'GET') {
    if (plan.refuseGet) return response.writeHead(405, { allow: 'POST' }).end();
    streams.add(response);
    response.on('close', () => streams.delete(response));
  }
  const known = sessions.get(id);
  if (known) return known.handleRequest(request, response);
  if (id !== undefined) return response.writeHead(404).end();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (session) => sessions.set(session, transport),
  });
  await createScriptedServer().connect(transport);
  await transport.handleRequest(request, response);
}

async function serveSse(request, response) {
  const url = new URL(request.url, 'http://localhost');
  if (request.method === 'POST') {
    const transport = sessions.get(url.searchParams.get('sessionId'));
    return transport ? transport.handlePostMessage(request, response) : response.writeHead(404).end();
  }
  const transport = new SSEServerTransport('/mcp', response);
  sessions.set(transport.sessionId, transport);
  streams.add(response);
  await createScriptedServer().connect(transport);
}

if (kind === 'stdio') {
  await createScriptedServer().connect(new StdioServerTransport());
  // The transport of 1.x does not notice that its client has gone.
  process.stdin.on('close', () => process.exit(0));
} else {
  if (plan.endsWithStdin) process.stdin.on('end', () => process.exit(0)).resume();
  const http = createServer(kind === 'sse' ? serveSse : serveStreamableHttp);
  http.listen(plan.port ?? 0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
}
