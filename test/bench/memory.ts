// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What one live connection takes on the heap, with connections that come and go and lists that change: each lives for a few
 * rounds, and lists anew and installs in every one. Once as many have gone as have come, rounds must not add up. Observations
 * are written and parsed, as they come from a network, so that nothing is shared but what the engine shares.
 *
 * Fails when a connection takes more than its bound, or when the heap grows from round to round.
 */

import { createEngine, type Engine } from '../../processor/core/index.ts';
import { type Catalog, decodeObservation, encodeObservation, type Observation } from '../../semconv/index.ts';
import { Story } from '../core/story.ts';
import { printTable, QUICK, type Row, short } from './report.ts';

const CONNECTIONS = QUICK ? 120 : 10_020;
const TOOLS = 50;
/** Rounds that each connection lives for, and so lists that it has seen when it ends. */
const LIFETIME = 3;
/** By then every connection, and every closed one that is remembered, has come and gone in the same way. */
const WARM_UP = 2 * LIFETIME;
/** What is forgotten is freed some rounds later, all at once, so the least of several rounds is compared. */
const WINDOW = QUICK ? 3 : 4;
/** Measured is 1.001; a hundred bytes kept of each connection that ends would make it 1.02. Code that is compiled late counts among few. */
const GROWTH = QUICK ? 1.5 : 1.02;
/** What the engine takes once, however many connections it has, weighs more among few. */
const BOUND_FACTOR = QUICK ? 3 : 1;
const ROUND_MS = 60_000;

interface Variant {
  readonly name: string;
  /** Bytes of heap that a connection may take: what was measured when this was set, and half as much again. */
  readonly bound: number;
  readonly catalog: (connection: number, round: number) => Catalog;
}

/** In each round another tool has another definition. */
function catalogOf(size: number, server: number, round: number): Catalog {
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
  const entries = Array.from({ length: size }, (_, index) => ({
    name: `server_${server}_tool_${index}`,
    digest: hex((server * 1000 + index) * 1000 + (index === round % size ? round : 0), 32),
  }));
  return { recipe: 'tools/1', size, digest: hex((server + 1) * 1000 + round, 64), entries };
}

const VARIANTS: readonly Variant[] = [
  { name: 'no tools', bound: 8500, catalog: (_, round) => catalogOf(0, 0, round) },
  { name: `all list the same ${TOOLS} tools`, bound: 8500, catalog: (_, round) => catalogOf(TOOLS, 0, round) },
  {
    name: `each lists ${TOOLS} tools of its own`,
    bound: 43_000,
    catalog: (connection, round) => catalogOf(TOOLS, connection + 1, round),
  },
];

function overWire(observation: Observation): Observation {
  const { timeMs, span } = observation;
  const startTimeMs = observation.kind === 'traversal' ? observation.startTimeMs : timeMs;
  const attributes = JSON.parse(JSON.stringify(encodeObservation(observation)));
  const timing = { startTimeMs, endTimeMs: timeMs, ...(span && { span: { ...span } }) };
  const received = decodeObservation(attributes, timing);
  if (!received) throw new Error(`cannot be decoded: ${observation.kind}`);
  return received;
}

/** Kept of a connection between two rounds, so that the stories themselves take no part in what is measured. */
interface Peer {
  readonly index: number;
  readonly born: number;
  sequence: number;
}

class Remote extends Story {
  constructor(engine: Engine, peer: Peer, nowMs: number) {
    super({}, engine, `connection-${peer.index}`);
    this.sequence = peer.sequence;
    this.nowMs = nowMs;
  }

  override hear(observation: Observation): this {
    return super.hear(overWire(observation));
  }
}

function heapBytes(): number {
  if (!global.gc) throw new Error('run it with --expose-gc');
  global.gc();
  return process.memoryUsage().heapUsed;
}

/** The floor: the newest list of each connection as it came, and nothing else. */
function keepNewest(catalog: Variant['catalog']): number {
  const kept = Array.from({ length: CONNECTIONS }, (_, index) => JSON.parse(JSON.stringify(catalog(index, 0))));
  const before = heapBytes();
  kept.length = 0;
  return (before - heapBytes()) / CONNECTIONS;
}

/** Returns what the heap held in each round. The engine is gone by then, so that the rest can be told from it. */
function churn(catalog: Variant['catalog']): { readonly heap: readonly number[]; readonly dropped: number } {
  const engine = createEngine({ connections: CONNECTIONS, retired: CONNECTIONS / 10 });
  let live: Peer[] = [];
  const heap: number[] = [];
  let opened = 0;
  for (let round = 0; round < WARM_UP + 2 * WINDOW; round++) {
    const nowMs = (round + 1) * ROUND_MS;
    for (const peer of live.filter(({ born }) => born === round - LIFETIME)) new Remote(engine, peer, nowMs).close();
    live = live.filter(({ born }) => born > round - LIFETIME);
    for (let one = 0; one < CONNECTIONS / LIFETIME; one++) {
      const peer: Peer = { index: opened, born: round, sequence: 0 };
      peer.sequence = new Remote(engine, peer, nowMs).open().sequence;
      live.push(peer);
      opened += 1;
    }
    for (const peer of live) {
      const told = { catalog: catalog(peer.index, round) };
      const remote = new Remote(engine, peer, nowMs).signal();
      peer.sequence = remote.list([], told).install([], told).call('server_0_tool_1').sequence;
    }
    heap.push(heapBytes());
  }
  const held = Object.values(engine.current()).reduce((sum, count) => sum + count, 0);
  if (held !== CONNECTIONS) throw new Error(`${held} connections are live, not ${CONNECTIONS}`);
  const { retired: _, ...others } = engine.counters().dropped;
  return { heap, dropped: Object.values(others).reduce((sum, count) => sum + count, 0) };
}

const rows: Row[] = [];
const faults: string[] = [];
for (const { name, bound, catalog } of VARIANTS) {
  const floor = keepNewest(catalog);
  const { heap, dropped } = churn(catalog);
  const rest = heapBytes();
  const bytes = heap.slice(WARM_UP).map((each) => (each - rest) / CONNECTIONS);
  const [least, most] = [Math.min(...bytes), Math.max(...bytes)];
  const growth = Math.min(...bytes.slice(WINDOW)) / Math.min(...bytes.slice(0, WINDOW));
  rows.push([name, short(least / floor), short(least), short(most), short(floor), growth.toFixed(3), dropped]);
  if (!(least > 0 && most <= bound * BOUND_FACTOR))
    faults.push(`${name}: ${short(most)} bytes for each; the bound is ${short(bound * BOUND_FACTOR)}`);
  if (!(growth <= GROWTH)) faults.push(`${name}: ${growth.toFixed(3)} times as much after ${WINDOW} more rounds`);
}
printTable(
  `memory: ${CONNECTIONS} live connections, a third of them new in every round`,
  'the newest list of each connection, parsed, and nothing else',
  ['', 'x floor', 'bytes each, least', 'most', 'floor', 'growth', 'dropped'],
  rows,
);
for (const fault of faults) console.log(`over its bound: ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;
