// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The plan that the scripted SDK servers (`sdk-v1.mjs`, `sdk-v2.mjs`) share, as JSON in their last argument:
 *
 *     catalogs      [[[tool...], [tool...]] ...]: catalogs of pages of tools; the first catalog is current at the start.
 *                   A tool is a definition, or a name for `{ name, inputSchema: { type: 'object' } }`
 *     listChanged   whether to declare it; default true
 *     signalAfterInitialized  send `list_changed` on `notifications/initialized`
 *     refuseGet     HTTP of v1 only: answer GET with 405, so that no signal can ever arrive
 *     ttlMs         v2 only: cache hint of `tools/list`
 *
 * A cursor is the page's number, so a catalog swapped in the middle of a walk shifts its pages. Calling the tool `control`,
 * which is never listed, drives the server: `{ swap: n | 'next', signal: true | times, drop, forget, exit: code }`, where
 * `drop` ends the open event streams and `forget` the HTTP session, so that its next use gets 404.
 *
 * Pure but for the current catalog. Servers call it; tests only write plans.
 */

const defineTool = (tool) => (typeof tool === 'string' ? { name: tool, inputSchema: { type: 'object' } } : tool);

export function readPlan(json) {
  return { catalogs: [[[]]], listChanged: true, ...JSON.parse(json ?? '{}') };
}

/** What every transport of one server process serves: one current catalog, also over many connections. */
export class ScriptedCatalogs {
  #catalogs;
  #current = 0;

  constructor(plan) {
    this.#catalogs = plan.catalogs;
  }

  /** One `tools/list` result, or undefined for a cursor that the current catalog does not have. */
  list(cursor) {
    const pages = this.#catalogs[this.#current];
    const index = cursor === undefined ? 0 : Number(cursor);
    if (!pages[index]) return undefined;
    const more = index + 1 < pages.length;
    return { tools: pages[index].map(defineTool), ...(more ? { nextCursor: String(index + 1) } : {}) };
  }

  has(name) {
    return this.#catalogs[this.#current].some((page) => page.some((tool) => defineTool(tool).name === name));
  }

  /** @param to a number, or 'next', or undefined for no change. */
  swap(to) {
    if (to !== undefined) this.#current = to === 'next' ? this.#current + 1 : to;
  }
}

/** The text that any scripted call answers. */
export const answer = (name) => ({ content: [{ type: 'text', text: name }] });
