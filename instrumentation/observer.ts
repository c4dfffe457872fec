// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** What all connections of one instrumentation share: telemetry, config, call chains, digested catalogs, the observation channel. */

import { type Channel, channel } from 'node:diagnostics_channel';
import { diag } from '@opentelemetry/api';
import { CatalogMemo } from '../semconv/catalog-memo.ts';
import { ATTR_MCP_CONVERGENCE_PROBLEM, METRIC_MCP_CONVERGENCE_INSTRUMENTATION_PROBLEMS } from '../semconv/names.ts';
import { OBSERVATION_CHANNEL, type Observation } from '../semconv/observation.ts';
import { AsyncContext } from './async-context.ts';
import type { ResolvedConfig } from './config.ts';
import { Telemetry } from './telemetry.ts';
import type { Wire } from './wire.ts';

/** Connections opened between two sweeps over the list of live ones. */
const PRUNE_EVERY = 64;

/** Why something may be missing from what we report. */
export type Problem = 'loaded_before' | 'process_without_connection' | 'internal_error';

export class Observer {
  readonly config: ResolvedConfig;
  readonly telemetry: Telemetry;
  readonly chains: AsyncContext = new AsyncContext();
  readonly memo: CatalogMemo = new CatalogMemo();
  readonly #channel: Channel = channel(OBSERVATION_CHANNEL);
  readonly #reported = new Set<Problem>();
  #live: WeakRef<Wire>[] = [];

  constructor(config: ResolvedConfig) {
    this.config = config;
    this.telemetry = new Telemetry(config.propagator);
  }

  /** Connections that may still be open. Held weakly: a transport that is dropped without a close must not be kept. */
  live(): readonly Wire[] {
    const wires = this.#live.map((ref) => ref.deref());
    return wires.filter((wire) => wire !== undefined && !wire.connection.closed) as Wire[];
  }

  opened(wire: Wire): void {
    if (this.#live.length % PRUNE_EVERY === PRUNE_EVERY - 1) this.#live = this.live().map((each) => new WeakRef(each));
    this.#live.push(new WeakRef(wire));
  }

  publish(observation: Observation): void {
    if (this.#channel.hasSubscribers) this.#channel.publish(observation);
  }

  /** Says a problem once through `diag`, and counts every occurrence. */
  report(problem: Problem, detail: string): void {
    this.guard(() => {
      this.telemetry.count(METRIC_MCP_CONVERGENCE_INSTRUMENTATION_PROBLEMS, {
        [ATTR_MCP_CONVERGENCE_PROBLEM]: problem,
      });
      if (this.#reported.has(problem)) return;
      this.#reported.add(problem);
      diag.warn(`mcp-convergence: ${detail}`);
    }, undefined);
  }

  /** The host must never notice us: whatever goes wrong in `body` ends here, and `otherwise` is returned. */
  guard<T>(body: () => T, otherwise: T): T {
    try {
      return body();
    } catch (error) {
      try {
        diag.error('mcp-convergence: internal error, the host is not affected', error);
        this.telemetry.count(METRIC_MCP_CONVERGENCE_INSTRUMENTATION_PROBLEMS, {
          [ATTR_MCP_CONVERGENCE_PROBLEM]: 'internal_error',
        });
      } catch {
        // A logger or an exporter of the app's own throws; there is nobody left to tell.
      }
      return otherwise;
    }
  }
}
