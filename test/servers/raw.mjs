// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * A scripted MCP server on stdio that speaks raw JSON-RPC, so that it can do what no SDK server would do.
 *
 *     node test/servers/raw.mjs '<plan as JSON>'
 *
 * Plan, every member optional:
 *
 *     era            'legacy' (default): answers `initialize`, and `server/discover` with -32601.
 *                    'modern': answers `server/discover`, and `initialize` with -32022. 'both': answers either.
 *     capabilities   as declared; default `{ tools: { listChanged: true } }`
 *     serverInfo     default `{ name: 'raw', version: '1.0.0' }`
 *     protocolVersion  of the initialize answer; default the client's own
 *     handshake      { delayMs, error, silent, before, after }: how `initialize`/`server/discover` is answered
 *     onInitialized  [Write...]: written when `notifications/initialized` arrives
 *     listen         'acknowledge' (default) | 'decline' (acknowledged without tools) | 'error' | 'silent'
 *     pages          [Page...]: short for `catalogs: [[Page...]]`
 *     catalogs       [[Page...] ...]: the first is current at the start
 *     calls          { toolName: Reply }: answers of `tools/call`; default is a text block with the tool's name, and
 *                    error -32602 for a name that is not in the current catalog
 *     meta           merged into `_meta` of every result
 *
 *     Page           { cursor, tools, nextCursor, ttlMs, cacheScope, swap, ...Reply }. `cursor` is the request's cursor that
 *                    selects it, absent for the first page. Pages with equal `cursor` are served one after the other,
 *                    the last of them again and again. `nextCursor` may be anything, also null or ''. `endless: true`
 *                    serves every unknown cursor with this page and a new cursor each time. `swap: n` makes catalog n
 *                    current after this page was answered.
 *     Reply          { result, error, delayMs, silent, before, after }: `result` replaces the whole result, `error` is a
 *                    JSON-RPC error object, `silent` never answers, `delayMs` answers late, `before`/`after` are [Write...]
 *     Write          'list_changed' (well-formed, for the era in use), any other string (that very line), or an object
 *                    (that message, `jsonrpc` filled in)
 *     tools          definitions, or names for `{ name, inputSchema: { type: 'object' } }`
 *
 * Calling the tool `control` drives the server from the client; it is never listed. Arguments, in this order of effect:
 *
 *     { swap: n | 'next', signal: true | times, write: [Write...], end: 'graceful' | 'abrupt', exit: code }
 *
 * `end` finishes every listen stream: with its result, or as stdio does it, by `notifications/cancelled`. `exit` ends the
 * process before it answers. Unknown requests get -32601. With MCP_TEST_WIRE=FILE every line in and out is appended there.
 */

import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const META = 'io.modelcontextprotocol/';
const plan = JSON.parse(process.argv[2] ?? '{}');
const catalogs = plan.catalogs ?? [plan.pages ?? [{ tools: [] }]];
const capabilities = plan.capabilities ?? { tools: { listChanged: true } };
const serverInfo = plan.serverInfo ?? { name: 'raw', version: '1.0.0' };
const era = plan.era ?? 'legacy';

let current = 0;
let modern = false;
let minted = 0;
/** Ids of open listen streams that asked for tool signals. */
const listening = new Set();
/** How often each page queue was read, by `catalog:cursor`. */
const served = new Map();

const tap = (direction, line) => {
  if (process.env.MCP_TEST_WIRE) appendFileSync(process.env.MCP_TEST_WIRE, `${direction} ${line}\n`);
};

const writeLine = (line) => {
  tap('out', line);
  process.stdout.write(`${line}\n`);
};

const send = (message) => writeLine(JSON.stringify({ jsonrpc: '2.0', ...message }));

function write(item) {
  if (item !== 'list_changed') return typeof item === 'string' ? writeLine(item) : send(item);
  const method = 'notifications/tools/list_changed';
  if (!modern) return send({ method });
  for (const id of listening) send({ method, params: { _meta: { [`${META}subscriptionId`]: id } } });
}

async function reply(id, script, result) {
  if (script.delayMs) await sleep(script.delayMs);
  for (const item of script.before ?? []) write(item);
  if (!script.silent) {
    send(script.error ? { id, error: script.error } : { id, result: complete(script.result ?? result) });
  }
  for (const item of script.after ?? []) write(item);
}

function complete(result) {
  const meta = { ...(modern ? { [`${META}serverInfo`]: serverInfo } : {}), ...plan.meta, ...result._meta };
  return {
    ...(modern ? { resultType: 'complete' } : {}),
    ...result,
    ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}),
  };
}

const defineTool = (tool) => (typeof tool === 'string' ? { name: tool, inputSchema: { type: 'object' } } : tool);

/** The page for a cursor of the current catalog, advancing the queue of equal cursors. */
function takePage(cursor) {
  const pages = catalogs[current];
  const queue = pages.filter((page) => page.cursor === cursor);
  if (queue.length === 0) return pages.find((page) => page.endless && cursor !== undefined);
  const key = `${current}:${cursor}`;
  const turn = served.get(key) ?? 0;
  served.set(key, turn + 1);
  return queue[Math.min(turn, queue.length - 1)];
}

function describePage(page) {
  const result = { tools: (page.tools ?? []).map(defineTool) };
  if ('nextCursor' in page) result.nextCursor = page.nextCursor;
  if (page.endless) result.nextCursor = `endless-${++minted}`;
  if (modern || page.ttlMs !== undefined) result.ttlMs = page.ttlMs ?? 0;
  if (modern || page.cacheScope !== undefined) result.cacheScope = page.cacheScope ?? 'private';
  return result;
}

async function list(id, params) {
  const page = takePage(params?.cursor);
  if (!page) return send({ id, error: { code: -32602, message: 'Invalid cursor' } });
  await reply(id, page, describePage(page));
  if (page.swap !== undefined) current = page.swap;
}

function control({ swap, signal, write: items, end, exit }) {
  if (swap !== undefined) current = swap === 'next' ? current + 1 : swap;
  for (let i = 0; i < Number(signal ?? 0); i++) write('list_changed');
  for (const item of items ?? []) write(item);
  if (end) {
    for (const id of listening) {
      if (end === 'graceful') send({ id, result: complete({ _meta: { [`${META}subscriptionId`]: id } }) });
      else send({ method: 'notifications/cancelled', params: { requestId: id } });
    }
    listening.clear();
  }
  if (exit !== undefined) process.exit(exit);
}

async function call(id, params) {
  const name = params?.name;
  const text = { content: [{ type: 'text', text: String(name) }] };
  if (name === 'control') {
    control(params.arguments ?? {});
    return reply(id, {}, text);
  }
  const script = plan.calls?.[name];
  const known = catalogs[current].some((page) => page.tools?.some((tool) => defineTool(tool).name === name));
  if (script || known) return reply(id, script ?? {}, text);
  send({ id, error: { code: -32602, message: `Unknown tool: ${name}` } });
}

function shakeHands(id, method, params) {
  const asksModern = method === 'server/discover';
  if (asksModern && era === 'legacy') return send({ id, error: { code: -32601, message: 'Method not found' } });
  if (!asksModern && era === 'modern') {
    const data = { supported: ['2026-07-28'], requested: params?.protocolVersion };
    return send({ id, error: { code: -32022, message: 'Unsupported protocol version', data } });
  }
  modern = asksModern;
  const result = asksModern
    ? { supportedVersions: ['2026-07-28'], capabilities, ttlMs: 0, cacheScope: 'private' }
    : { protocolVersion: plan.protocolVersion ?? params?.protocolVersion, capabilities, serverInfo };
  return reply(id, plan.handshake ?? {}, result);
}

function listen(id, params) {
  const wanted = params?.notifications ?? {};
  const mode = plan.listen ?? 'acknowledge';
  if (mode === 'silent') return;
  if (mode === 'error') return send({ id, error: { code: -32603, message: 'Subscription limit reached' } });
  const { toolsListChanged, ...others } = wanted;
  const honoured = mode === 'decline' ? others : wanted;
  if (honoured.toolsListChanged) listening.add(id);
  send({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: honoured, _meta: { [`${META}subscriptionId`]: id } },
  });
}

function receive({ id, method, params }) {
  if (params?._meta?.[`${META}protocolVersion`] && era !== 'legacy') modern = true;
  if (method === 'initialize' || method === 'server/discover') return shakeHands(id, method, params);
  if (method === 'tools/list') return list(id, params);
  if (method === 'tools/call') return call(id, params);
  if (method === 'ping') return send({ id, result: {} });
  if (method === 'subscriptions/listen') return listen(id, params);
  if (method === 'notifications/initialized') {
    for (const item of plan.onInitialized ?? []) write(item);
  } else if (method === 'notifications/cancelled') listening.delete(params?.requestId);
  else if (id !== undefined && method !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
}

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  tap('in', line);
  receive(JSON.parse(line));
});
// A client that closes our stdin has ended the connection; delayed replies are not worth waiting for.
lines.on('close', () => process.exit(0));
