// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The plan that the scripted SDK servers (`sdk-v1.mjs`, `sdk-v2.mjs`) share, as JSON in their last argument, every member optional:
 *
 *     catalogs      [[[tool...], [tool...]] ...]: catalogs of pages of tools; the first catalog is current at the start
 *     listChanged   whether to declare it; default true
 *     signalAfterInitialized  v1 only: send `list_changed` on `notifications/initialized`
 *     refuseGet     HTTP of v1 only: answer GET with 405, so that no signal can ever arrive
 *     ttlMs, cacheScope       v2 only: cache hints of `tools/list`
 *     port          HTTP: default a free one
 *     endsWithStdin HTTP of v1 only: for a supervisor, which may be killed
 *     cursors       [text...]: the nextCursor of page 1, 2, ...; default the number of the page that follows, from 1
 *     lastCursor    the nextCursor of the last page, which may be null or ''; default none
 *     loop          [text...]: the walk never ends, its replies give these cursors in turn; 'endless': a new one each time
 *     shuffle       ['tools' | 'keys' | 'required' ...]: what comes in another order on each reply; pages keep their sizes
 *     volatile      name of a tool whose description holds a fresh UUID on each reply
 *     lists         { n | 'every': Behaviour }: what happens at the n-th `tools/list` request, counted from 1
 *     refuses       [name...]: calls of these are answered with -32602, whatever the catalog says
 *
 *     tool          a definition; or a name for `{ name, inputSchema: { type: 'object' } }`; or 'name(a,b)' for one that requires
 *                   the strings a and b; or { many: prefix, from, to } for numbered ones; or { large: name, kilobytes } for
 *                   one with a large schema; or { deep: name, levels } for one with a deeply nested schema
 *     Behaviour     { swapBefore, signalBefore: times, delayMs, error: { code, message }, silent, swapAfter, signalAfter: times }
 *
 * A catalog swapped in the middle of a walk shifts its pages. Calling the tool `control`, which is never listed, drives the
 * server; its arguments, in this order of effect:
 *
 *     { swap: n | 'next', signal: true | times, signalEvery: { ms, times }, refuseGet, drop, forget, exit: code, afterMs }
 *
 * `drop` ends the open event streams and `forget` the HTTP sessions, so that their next use gets 404. With `afterMs` the call is
 * answered first, and all of it happens that much later.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { definePage, rotate, shuffleKeys, shuffleRequired } from './definitions.mjs';

export function readPlan(json) {
  return { catalogs: [[[]]], listChanged: true, ...JSON.parse(json ?? '{}') };
}

/** A JSON-RPC error that the plan asks for. */
export class ScriptedError extends Error {
  constructor({ code, message }) {
    super(message);
    this.code = code;
  }
}

const invalid = (message) => new ScriptedError({ code: -32602, message });

/** What every transport of one server process serves: one current catalog, also over many connections. */
export class ScriptedCatalogs {
  #plan;
  #catalogs;
  #current = 0;
  #requests = 0;
  /** Replies of the walk that was begun last, for cursors that come round. */
  #step = 0;

  constructor(plan) {
    this.#plan = plan;
    this.#catalogs = plan.catalogs.map((pages) => pages.map(definePage));
  }

  /** One `tools/list` result. @throws ScriptedError */
  async list(cursor, signal) {
    const turn = ++this.#requests;
    const { every, [turn]: one } = this.#plan.lists ?? {};
    const behaviour = { ...every, ...one };
    this.swap(behaviour.swapBefore);
    for (let i = 0; i < Number(behaviour.signalBefore ?? 0); i++) await signal();
    // The list is made when it is asked for, however late the reply.
    const page = this.#page(cursor, turn - 1);
    if (behaviour.delayMs) await sleep(behaviour.delayMs);
    if (behaviour.silent) await new Promise(() => {});
    this.swap(behaviour.swapAfter);
    // The SDK writes the reply in microtasks from here.
    for (let i = 0; i < Number(behaviour.signalAfter ?? 0); i++) setImmediate(signal);
    if (behaviour.error) throw new ScriptedError(behaviour.error);
    if (!page) throw invalid('Invalid cursor');
    return page;
  }

  #page(cursor, turn) {
    const { cursors, loop, lastCursor } = this.#plan;
    const pages = this.#shuffled(this.#catalogs[this.#current], turn);
    if (loop !== undefined) {
      this.#step = cursor === undefined ? 0 : this.#step + 1;
      const nextCursor = loop === 'endless' ? randomUUID() : loop[this.#step % loop.length];
      return { tools: pages[this.#step % pages.length], nextCursor };
    }
    const next = (index) => cursors?.[index] ?? String(index + 1);
    const index = cursor === undefined ? 0 : pages.findIndex((_, each) => next(each) === cursor) + 1;
    const tools = index === 0 && cursor !== undefined ? undefined : pages[index];
    if (!tools) return undefined;
    if (index + 1 < pages.length) return { tools, nextCursor: next(index) };
    return lastCursor === undefined ? { tools } : { tools, nextCursor: lastCursor };
  }

  #shuffled(pages, turn) {
    const { shuffle = [], volatile } = this.#plan;
    let tools = pages.flat();
    if (shuffle.includes('tools')) tools = rotate(tools, turn);
    if (shuffle.includes('required')) tools = tools.map((tool) => shuffleRequired(tool, turn));
    if (shuffle.includes('keys')) tools = tools.map((tool) => shuffleKeys(tool, turn));
    tools = tools.map((tool) =>
      tool.name === volatile ? { ...tool, description: `Reads settings-${randomUUID()}.json` } : tool,
    );
    return pages.map(({ length }) => tools.splice(0, length));
  }

  /** @throws ScriptedError when a call of `name` is refused */
  call(name) {
    const known = this.#catalogs[this.#current].some((page) => page.some((tool) => tool.name === name));
    if (!known) throw invalid(`Unknown tool: ${name}`);
    if (this.#plan.refuses?.includes(name)) throw invalid('unexpected additional properties');
  }

  /** @param to a number, or 'next', or undefined for no change. */
  swap(to) {
    if (to !== undefined) this.#current = to === 'next' ? this.#current + 1 : to;
  }
}

/** Does what the arguments of `control` say; `acts` are the server's own ways: `{ signal, refuseGet, drop, forget }`. */
export async function control(catalogs, order, acts) {
  const { afterMs, ...rest } = order;
  if (afterMs !== undefined) return void setTimeout(() => control(catalogs, rest, acts), afterMs);
  const { swap, signal, signalEvery, refuseGet, drop, forget, exit } = rest;
  catalogs.swap(swap);
  for (let i = 0; i < Number(signal ?? 0); i++) await acts.signal();
  if (signalEvery) repeat(acts.signal, signalEvery);
  if (refuseGet !== undefined) acts.refuseGet?.(refuseGet);
  if (drop) acts.drop();
  if (forget) acts.forget?.();
  if (exit !== undefined) process.exit(exit);
}

async function repeat(act, { ms, times }) {
  for (let i = 0; i < times; i++) {
    await sleep(ms);
    await act();
  }
}

/** The text that any scripted call answers. */
export const answer = (name) => ({ content: [{ type: 'text', text: name }] });
