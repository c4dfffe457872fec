// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Tells the engine a story of one connection, step by step, and keeps what it answers. */

import assert from 'node:assert/strict';
import type { SightingOf } from '../../instrumentation/connection.ts';
import { createEngine, type Engine, type Limits, type StaleCall, type Step } from '../../processor/core/index.ts';
import { sha256 } from '../../semconv/digest.ts';
import type { Catalog, CatalogEntry, Installed, Observation, Traversal } from '../../semconv/observation.ts';
import type { Verdict } from '../../semconv/verdict.ts';

/** `['a', 'b:2']`: tool a in its first, tool b in its second definition. */
export function catalogOf(tools: readonly string[], more: Partial<Catalog> = {}): Catalog {
  const entries: CatalogEntry[] = [...tools].sort().map((text) => {
    const [name = '', version = '1'] = text.split(':');
    return { name, digest: sha256(`${name}:${version}`).slice(0, 32) };
  });
  return { recipe: 'tools/1', size: tools.length, digest: sha256(JSON.stringify(entries)), entries, ...more };
}

export class Story {
  readonly engine: Engine;
  readonly verdicts: Verdict[] = [];
  readonly staleCalls: StaleCall[] = [];
  readonly observations: Observation[] = [];
  /** Without those that were made and never told. */
  readonly heard: Observation[] = [];
  readonly connectionId: string;
  deadlineMs: number | undefined;
  nowMs = 1_000_000;
  sequence = 0;
  epoch = 'e1';

  constructor(
    limits: Partial<Limits> = {},
    engine: Engine = createEngine({ graceMs: 1000, ...limits }),
    connectionId = 'c1',
  ) {
    this.engine = engine;
    this.connectionId = connectionId;
  }

  #keep(step: Step): this {
    this.verdicts.push(...step.verdicts);
    this.staleCalls.push(...step.staleCalls);
    this.deadlineMs = step.deadlineMs;
    return this;
  }

  /** Makes an observation without telling it. */
  make(sighting: SightingOf<Observation>): Observation {
    this.sequence += 1;
    const { connectionId, sequence, nowMs } = this;
    const span = { traceId: `${'0'.repeat(31)}1`, spanId: sequence.toString(16).padStart(16, '0'), traceFlags: 1 };
    const observation = {
      ...sighting,
      connectionId,
      sequence,
      timeMs: nowMs,
      epoch: { id: this.epoch, source: 'process' },
      span,
    } as Observation;
    this.observations.push(observation);
    return observation;
  }

  tell(sighting: SightingOf<Observation>): this {
    return this.hear(this.make(sighting));
  }

  hear(observation: Observation): this {
    this.heard.push(observation);
    return this.#keep(this.engine.observe(observation, this.nowMs));
  }

  /** Lets time pass, calling the engine at each of its deadlines on the way. */
  wait(ms: number): this {
    const end = this.nowMs + ms;
    while (this.deadlineMs !== undefined && this.deadlineMs <= end) {
      this.nowMs = Math.max(this.nowMs, this.deadlineMs);
      this.#keep(this.engine.advance(this.nowMs));
      assert.ok((this.deadlineMs ?? Infinity) > this.nowMs, 'a deadline that has come is over');
    }
    this.nowMs = end;
    return this;
  }

  end(): this {
    return this.#keep(this.engine.end(this.nowMs));
  }

  open(
    more: { listChanged?: boolean; channel?: 'pipe' | 'none'; era?: 'legacy' | 'modern'; previous?: string } = {},
  ): this {
    const { listChanged = true, channel = 'pipe', era = 'legacy', previous } = more;
    this.tell({ kind: 'connection_opened', transport: 'stdio', ...(previous && { previousConnectionId: previous }) });
    this.tell({
      kind: 'handshake',
      method: 'initialize',
      era,
      tools: true,
      listChanged,
      serverName: 'srv',
      protocolVersion: '2025-11-25',
    });
    return channel === 'none' ? this : this.tell({ kind: 'coverage', state: 'opened', channel });
  }

  /** One walk: starts now, ends now unless the story goes on in `meanwhile`. */
  list(
    tools: readonly string[],
    more: Partial<Omit<Traversal, 'catalog'>> & { catalog?: Partial<Catalog>; meanwhile?: () => void } = {},
  ): this {
    const { meanwhile, catalog, ...rest } = more;
    const startSequence = this.sequence + 1;
    const startTimeMs = this.nowMs;
    meanwhile?.();
    return this.tell({
      kind: 'traversal',
      traversalId: `t${this.sequence}`,
      startSequence,
      startTimeMs,
      outcome: 'complete',
      pages: 1,
      trigger: 'app',
      cursors: [],
      catalog: catalogOf(tools, catalog),
      ...rest,
    });
  }

  install(
    tools: readonly string[],
    more: Partial<Omit<Installed, 'catalog'>> & { catalog?: Partial<Catalog> } = {},
  ): this {
    const { catalog, ...rest } = more;
    const none = { filtered: [], withheld: [], capped: [], rejected: [], shadowed: [], renamed: 0 };
    return this.tell({ kind: 'installed', layer: 'installed', ...none, catalog: catalogOf(tools, catalog), ...rest });
  }

  signal(more: { advertised?: boolean; malformed?: boolean; early?: boolean } = {}): this {
    return this.tell({ kind: 'signal', advertised: true, malformed: false, early: false, ...more });
  }

  call(tool: string): this {
    return this.tell({ kind: 'call', tool, outcome: 'ok', startSequence: this.sequence + 1 });
  }

  close(): this {
    return this.tell({ kind: 'connection_closed', cause: 'local' });
  }

  /** What was said, as `verdict/reason`. */
  get said(): string[] {
    return this.verdicts.map(({ verdict, reason }) => `${verdict}/${reason}`);
  }
}
