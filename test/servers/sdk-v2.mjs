// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * A scripted server on `@modelcontextprotocol/server` 2.x; it serves both eras, as the client opens.
 *
 *     node test/servers/sdk-v2.mjs stdio|http '<plan as JSON>'
 *
 * The plan is described in `script.mjs`. `http` is the stateless handler: no session, legacy GET is answered with 405 though
 * `listChanged` is declared, and signals travel on `subscriptions/listen` streams only. It prints its URL as the first line.
 */

import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { createMcpHandler, ProtocolError, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { answer, control, readPlan, ScriptedCatalogs, ScriptedError } from './script.mjs';

const [, , kind = 'stdio', json] = process.argv;
const plan = readPlan(json);
const catalogs = new ScriptedCatalogs(plan);
const streams = new Set();

function createScriptedServer() {
  const { ttlMs, cacheScope } = plan;
  const hint = { ...(ttlMs !== undefined && { ttlMs }), ...(cacheScope !== undefined && { cacheScope }) };
  const server = new Server(
    { name: 'scripted-v2', version: '1.0.0' },
    {
      capabilities: { tools: plan.listChanged ? { listChanged: true } : {} },
      ...(Object.keys(hint).length > 0 && { cacheHints: { 'tools/list': hint } }),
    },
  );
  const acts = { drop, signal: () => (handler ? handler.notify.toolsChanged() : server.sendToolListChanged()) };
  server.setRequestHandler('tools/list', ({ params }) => translate(() => catalogs.list(params?.cursor, acts.signal)));
  server.setRequestHandler('tools/call', async ({ params }) => {
    if (params.name === 'control') await control(catalogs, params.arguments ?? {}, acts);
    else await translate(() => catalogs.call(params.name));
    return answer(params.name);
  });
  return server;
}

function drop() {
  for (const stream of streams) stream.destroy();
  streams.clear();
}

async function translate(act) {
  try {
    return await act();
  } catch (error) {
    throw error instanceof ScriptedError ? new ProtocolError(error.code, error.message) : error;
  }
}

/** node:http to the web-standard face of the handler, and back. */
async function bridge(incoming, outgoing) {
  // For tests that wait: how many event streams there are.
  if (incoming.method === 'OPTIONS') return outgoing.end(String(streams.size));
  const gone = new AbortController();
  outgoing.on('close', () => gone.abort());
  const hasBody = incoming.method === 'POST';
  const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method,
    headers: Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    ...(hasBody ? { body: Readable.toWeb(incoming), duplex: 'half' } : {}),
    signal: gone.signal,
  });
  const response = await handler.fetch(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (!response.body) return outgoing.end();
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    streams.add(outgoing);
    outgoing.on('close', () => streams.delete(outgoing));
    outgoing.flushHeaders();
  }
  for await (const chunk of response.body) outgoing.write(chunk);
  outgoing.end();
}

let handler;
if (kind === 'stdio') {
  serveStdio(createScriptedServer);
} else {
  handler = createMcpHandler(createScriptedServer);
  const http = createServer((incoming, outgoing) => bridge(incoming, outgoing).catch(() => outgoing.destroy()));
  http.listen(plan.port ?? 0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
}
