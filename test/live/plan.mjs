// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What a `plan.json` may say: a server, a host, and what they do to each other. Pure data; what is not named here is an error.
 *
 *     clients      ['v1', 'v2']: the SDK majors that the host is run with; default both, in the modern era v2 alone
 *     era          'legacy' (default) or 'modern'
 *     transport    'stdio' (default), 'http' or 'sse'
 *     server       the plan of a scripted SDK server, see `test/servers/script.mjs`; v1 serves the legacy era, v2 the modern one.
 *                  With `generations` and `replay` a supervised one, see `test/servers/supervisor.mjs`.
 *                  { raw: plan } is the server of `test/servers/raw.mjs`, stdio only
 *     client       how the host uses its SDK:
 *                  listen         modern: whether to ask for signals; default true
 *                  autoRefresh    `listChanged` of the SDK does the listing, its tools count as a list of the host
 *                  debounceMs     of the SDK's `listChanged`; default 0
 *                  listMaxPages   v2: of the SDK
 *                  stuckCache     v2: on a cache store that cannot delete
 *                  onChange       [Step...]: what the host does at each signal that its SDK hands on
 *                  coalesce       a signal during `onChange` causes one more run after it, however many there are; default
 *                                 each signal causes its own run, at once
 *     traversalTimeoutMs   MCP_CONVERGENCE_TRAVERSAL_TIMEOUT_MS
 *     host         [Step...], one after the other. The connection is closed at the end, if it is open still
 *
 * Step is one of these. Lists are numbered from 1 in the order in which they were begun. With `fails: true` a step must fail.
 *
 *     'connect'                     a new client on a new transport
 *     'reconnect'                   closes, and connects the same client again: another process, or another session
 *     'close'
 *     { wait: ms }
 *     { until: { signals: n } }     so many have reached the host since its start; or { lists: n }: so many have ended; or
 *                                   { calls: name }: such a call is answered; or { answers: true }: the URL is;
 *                                   or { streams: n }: so many event streams are open (HTTP)
 *     { list: How, timeoutMs }      How: 'all' pages, asked of the server; 'cached': all pages, from the SDK's cache if it likes
 *                                   (v2); 'first page'; { pages: n }; 'while cursor': until the cursor is falsy (v1)
 *     { begin: { list: How } }      without waiting for its end
 *     { install: 'last' | What }    reports the registry; What is described in `registry.mjs`
 *     { call: name, arguments }
 *     { server: order }             calls the tool `control` of the server with the order, see `script.mjs` and `raw.mjs`
 *     { principal: label }, { boundary: 'model_call' | 'turn' | 'session' }    reported to the instrumentation
 */

const text = (value) => typeof value === 'string';
const number = (value) => typeof value === 'number';
const flag = (value) => typeof value === 'boolean';
const names = (value) => Array.isArray(value) && value.every(text);
const data = (value) => typeof value === 'object' && value !== null;
const anything = () => true;
const oneOf =
  (...values) =>
  (value) =>
    values.includes(value);
const either =
  (...checks) =>
  (value, path) =>
    checks.some((check) => check(value, path));

/** @throws TypeError naming what is unknown. */
const members = (shape) => (value, path) => {
  if (!data(value) || Array.isArray(value)) return false;
  for (const [name, each] of Object.entries(value)) {
    if (!(name in shape)) throw new TypeError(`${path}: unknown member ${name}`);
    if (!shape[name](each, `${path}.${name}`))
      throw new TypeError(`${path}.${name}: ${JSON.stringify(each)} is no use`);
  }
  return true;
};

const list = (check) => (value, path) =>
  Array.isArray(value) && value.every((each, index) => check(each, `${path}[${index}]`));

const HOW = either(oneOf('all', 'cached', 'first page', 'while cursor'), members({ pages: number }));

const WHAT = members({
  list: number,
  nothing: flag,
  merge: list(number),
  only: names,
  without: names,
  rewrite: oneOf('closed', 'emptied', 'described'),
  filtered: names,
  withheld: names,
  capped: names,
  rejected: names,
  shadowed: names,
  keeps: flag,
  renamed: data,
  policy: members({ kind: oneOf('interval', 'before_run', 'on_reconnect', 'pinned'), seconds: number }),
  layer: oneOf('installed', 'used'),
  visibility: oneOf('model_call', 'turn', 'session'),
  principal: text,
});

/** A step with a payload: the member that names it, and those that may stand beside it. */
const STEPS = {
  wait: { wait: number },
  until: { until: members({ signals: number, lists: number, calls: text, answers: flag, streams: number }) },
  list: { list: HOW, timeoutMs: number, fails: flag },
  begin: { begin: members({ list: HOW, timeoutMs: number }) },
  install: { install: either(oneOf('last'), WHAT) },
  call: { call: text, arguments: data, fails: flag },
  server: { server: data },
  principal: { principal: text },
  boundary: { boundary: oneOf('model_call', 'turn', 'session') },
};

function isStep(step, path) {
  if (oneOf('connect', 'reconnect', 'close')(step)) return true;
  const kind = data(step) && Object.keys(STEPS).find((name) => name in step);
  if (!kind) throw new TypeError(`${path}: unknown step ${JSON.stringify(step)}`);
  return members(STEPS[kind])(step, path);
}

const BEHAVIOUR = members({
  swapBefore: either(number, text),
  swapAfter: either(number, text),
  signalBefore: number,
  signalAfter: number,
  delayMs: number,
  error: members({ code: number, message: text }),
  silent: flag,
});

const SCRIPT = {
  catalogs: list(list(Array.isArray)),
  listChanged: flag,
  signalAfterInitialized: flag,
  refuseGet: flag,
  ttlMs: number,
  cacheScope: text,
  cursors: names,
  lastCursor: anything,
  loop: either(names, oneOf('endless')),
  shuffle: list(oneOf('tools', 'keys', 'required')),
  volatile: text,
  lists: (value, path) => Object.entries(value).every(([turn, each]) => BEHAVIOUR(each, `${path}.${turn}`)),
  refuses: names,
};

const PLAN = members({
  clients: list(oneOf('v1', 'v2')),
  era: oneOf('legacy', 'modern'),
  transport: oneOf('stdio', 'http', 'sse'),
  server: members({
    ...SCRIPT,
    raw: data,
    generations: list(members(SCRIPT)),
    replay: oneOf('swallowed', 'answered'),
  }),
  client: members({
    listen: flag,
    autoRefresh: flag,
    debounceMs: number,
    listMaxPages: number,
    stuckCache: flag,
    onChange: list(isStep),
    coalesce: flag,
  }),
  traversalTimeoutMs: number,
  host: list(isStep),
});

/** The plan with its defaults filled in. @throws TypeError when there is anything in it that nobody would carry out. */
export function readLivePlan(json) {
  const plan = JSON.parse(json);
  if (!PLAN(plan, 'plan') || !plan.server || !plan.host) throw new TypeError('a plan has a server and a host');
  const modern = plan.era === 'modern';
  const { clients = modern ? ['v2'] : ['v1', 'v2'], transport = 'stdio' } = plan;
  if (modern && (clients.includes('v1') || transport === 'sse'))
    throw new TypeError('the modern era needs v2, and no SSE');
  if (plan.server.raw && transport !== 'stdio') throw new TypeError('the raw server speaks on stdio only');
  return { era: 'legacy', client: {}, ...plan, clients, transport };
}
