// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * A host that carries out a plan (`plan.mjs`) with either SDK major. It knows nothing of the instrumentation but the reports
 * that any host would make. `agent-v1.mjs` and `agent-v2.mjs` bring what differs between the SDKs, as `sdk`:
 *
 *     createClient({ era, listChanged, listMaxPages, stuckCache })   listChanged as both SDKs take it
 *     createTransport(target)                            { command, args } or { url, sse }
 *     onSignal(client, handler)                          at each `list_changed` that the SDK hands on
 *     call(client, name, options)
 *     listPage(client, cursor, options), listAll(client, options, fromCache)
 */

import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { reportBoundary, reportInstalledRegistry, reportPrincipal } from 'mcp-convergence/instrumentation';
import { readLivePlan } from './plan.mjs';
import { composeReport } from './registry.mjs';

/** @param target of the server: { command, args } or { url, sse } */
export async function runHost(sdk, [planFile, target]) {
  const host = new Host(sdk, readLivePlan(await readFile(planFile, 'utf8')), JSON.parse(target));
  await host.take(host.plan.host);
  await host.close();
}

class Host {
  #sdk;
  #target;
  #client;
  #open = false;
  /** Tools of each list by its number - 1; undefined until it ended well. */
  #lists = [];
  #last;
  #ended = 0;
  #signals = 0;
  #busy = false;
  #again = false;

  constructor(sdk, plan, target) {
    this.#sdk = sdk;
    this.plan = plan;
    this.#target = target;
  }

  async take(steps) {
    for (const step of steps) await this.#try(step);
  }

  async close() {
    if (this.#open) await this.#client.close();
    this.#open = false;
  }

  async #try(step) {
    const failed = await this.#do(step).then(
      () => undefined,
      (error) => error ?? new Error('failed'),
    );
    if (failed && !step.fails) throw new Error(`${JSON.stringify(step)} failed`, { cause: failed });
    if (!failed && step.fails) throw new Error(`${JSON.stringify(step)} did not fail`);
  }

  async #do(step) {
    if (step === 'connect') await this.#connect(this.#createClient());
    else if (step === 'close') await this.close();
    else if (step === 'reconnect') {
      await this.close();
      await this.#connect(this.#client);
    } else if (step.wait !== undefined) await sleep(step.wait);
    else if (step.until) await this.#until(step.until);
    else if (step.list !== undefined) await this.#list(step);
    else if (step.begin) this.#list(step.begin).catch(() => {});
    else if (step.install) {
      reportInstalledRegistry(this.#client, composeReport(step.install, this.#lists, this.#last));
    } else if (step.call) await this.#client.callTool({ name: step.call, arguments: step.arguments ?? {} });
    else if (step.server) await this.#order(step.server);
    else if (step.principal) reportPrincipal(this.#client, step.principal);
    else if (step.boundary) reportBoundary(this.#client, step.boundary);
  }

  #createClient() {
    const { era, client } = this.plan;
    const { autoRefresh, debounceMs = 0, listMaxPages, stuckCache, listen = true } = client;
    const onChanged = (error, items) => {
      if (items) this.#keep(this.#lists.push(undefined), items);
      if (!error) this.#changed();
    };
    // Modern signals travel on a stream that the SDK opens only for this option.
    const bySdk = autoRefresh || (era === 'modern' && listen);
    const listChanged = bySdk && { tools: { autoRefresh: autoRefresh ?? false, debounceMs, onChanged } };
    const created = this.#sdk.createClient({ era, listMaxPages, stuckCache, ...(listChanged && { listChanged }) });
    if (!bySdk) this.#sdk.onSignal(created, () => this.#changed());
    // What a case provokes is no news.
    created.onerror = () => {};
    return created;
  }

  async #connect(client) {
    this.#client = client;
    await client.connect(this.#sdk.createTransport(this.#target));
    this.#open = true;
  }

  /** A server that ends or forgets cannot be asked whether it did. */
  async #order(order) {
    const called = this.#client.callTool({ name: 'control', arguments: order });
    await (order.exit === undefined || order.afterMs !== undefined ? called : called.catch(() => {}));
  }

  async #list({ list: how, timeoutMs }) {
    const number = this.#lists.push(undefined);
    const options = timeoutMs === undefined ? {} : { timeout: timeoutMs };
    if (how === 'all' || how === 'cached') {
      this.#keep(number, (await this.#sdk.listAll(this.#client, options, how === 'cached')).tools);
      return;
    }
    const most = how === 'first page' ? 1 : (how.pages ?? Number.POSITIVE_INFINITY);
    const tools = [];
    let page;
    for (let pages = 0; pages < most && (pages === 0 || page.nextCursor); pages++) {
      page = await this.#sdk.listPage(this.#client, page?.nextCursor, options);
      tools.push(...page.tools);
    }
    this.#keep(number, tools);
  }

  #keep(number, tools) {
    this.#lists[number - 1] = tools;
    this.#last = tools;
    this.#ended++;
  }

  #changed() {
    this.#signals++;
    const { onChange, coalesce } = this.plan.client;
    if (!onChange) return;
    if (coalesce && this.#busy) this.#again = true;
    else void this.#react(onChange);
  }

  async #react(steps) {
    this.#busy = true;
    do {
      this.#again = false;
      await this.take(steps);
    } while (this.#again);
    this.#busy = false;
  }

  /** Gives up after ten seconds, which fails the run. */
  async #until({ signals = 0, lists = 0, calls, answers, streams = 0 }) {
    for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(20)) {
      if (this.#signals < signals || this.#ended < lists) continue;
      if ((answers || streams > 0) && !((await this.#countStreams()) >= streams)) continue;
      if (calls === undefined || (await this.#calls(calls))) return;
    }
    throw new Error(`${this.#signals} signals and ${this.#ended} lists in ten seconds`);
  }

  /** Asks past the client, who would be seen; undefined while nobody answers. */
  async #countStreams() {
    const response = await fetch(this.#target.url, { method: 'OPTIONS' }).catch(() => undefined);
    return response && Number(await response.text());
  }

  /** While a server is started again, what it is asked may never be answered. */
  #calls(name) {
    return this.#sdk.call(this.#client, name, { timeout: 300 }).then(
      () => true,
      () => false,
    );
  }
}
