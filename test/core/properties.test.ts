// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** What holds of every sequence: random stories by seed, checked against a reading of the observations that shares no code with the engine. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEngine, type Engine } from '../../processor/core/index.ts';
import { REASONS } from '../../semconv/names.ts';
import type { Observation } from '../../semconv/observation.ts';
import type { Verdict } from '../../semconv/verdict.ts';
import { Story } from './story.ts';

const EQUAL_WALKS = 3;
const LIMITS = { graceMs: 1000, equalWalks: EQUAL_WALKS, stormSignals: 4 };

function randomOf(seed: number): () => number {
  let state = seed * 2654435761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 374761393) >>> 0;
    return state / 4294967296;
  };
}

function tellRandomly(story: Story, seed: number, steps = 16): Story {
  const random = randomOf(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const renew = () => {
    story.epoch = `e${story.sequence}`;
    story.tell({ kind: 'epoch_changed', cause: 'session_changed' });
  };
  story.open({ listChanged: random() < 0.9, channel: pick(['pipe', 'pipe', 'none']) });
  for (let i = 0; i < steps; i++) {
    const tools = pick([['a'], ['a'], ['a'], ['a:2'], ['a', 'b']]);
    const crossing = pick([undefined, undefined, () => story.signal(), renew, () => story.list(tools)]);
    const startSequence = random() < 0.2 ? Math.max(1, story.sequence - 2) : story.sequence + 1;
    pick([
      () => {
        const outcome = pick(['complete', 'complete', 'complete', 'abandoned', 'torn'] as const);
        const torn = outcome === 'torn' && { tornBy: pick(['signal', 'overlap'] as const) };
        const meanwhile = crossing && { meanwhile: crossing };
        story.list(tools, { outcome, pages: pick([1, 1, 2]), startSequence, ...torn, ...meanwhile });
      },
      () => story.list(tools, crossing && { meanwhile: crossing }),
      () => {
        const pages = pick([1, 2]);
        const times = pick([2, 3, 4]);
        for (let j = 0; j < times; j++) story.list(tools, { pages, meanwhile: () => story.signal() });
      },
      () => story.install(tools),
      () => story.install(tools, { filtered: ['b'] }),
      () => story.signal(),
      () => story.wait(pick([10, 400, 1500])),
      renew,
      () => story.tell({ kind: 'coverage', state: pick(['opened', 'closed']), channel: 'get_stream' }),
      () => story.call('a'),
    ])();
  }
  return story.wait(5000);
}

const keyOf = ({ verdict, reason, timeMs, sequence }: Verdict): string =>
  `${verdict}/${reason} at ${timeMs} of ${sequence}`;

/** Reads from the observations alone whether anything entitles to say converged. */
function entitles(seen: readonly Observation[], verdict: Verdict): boolean {
  const own = seen.filter((one) => one.sequence <= verdict.sequence);
  const epochStart = own.findLast((one, i) => i > 0 && one.epoch.id !== own[i - 1]?.epoch.id)?.sequence ?? 0;
  const signals = own.filter((one) => one.kind === 'signal' && one.sequence > epochStart).map((one) => one.sequence);
  const newest = signals.at(-1) ?? 0;
  const report = own.findLast((one) => one.kind === 'installed');
  if (report?.kind !== 'installed' || report.sequence < epochStart) return false;
  const walks = own.filter((one) => one.kind === 'traversal').filter((one) => one.startSequence > epochStart);
  const crossed = (walk: { startSequence: number; sequence: number }) =>
    signals.some((signal) => signal >= walk.startSequence && signal < walk.sequence);
  const equal = (walk: (typeof walks)[number]) => {
    const expected = walk.catalog.entries?.filter(({ name }) => !report.filtered.includes(name));
    return (
      walk.catalog.digest === report.catalog.digest ||
      JSON.stringify(expected) === JSON.stringify(report.catalog.entries)
    );
  };
  const whole = walks.filter((walk) => walk.outcome === 'complete' && !(walk.pages > 1 && crossed(walk)));
  if (whole.some((walk) => walk.startSequence > newest && equal(walk))) return true;
  // Settled: walks one after the other, each crossed by a signal, the last one ending after the newest signal.
  const noisy = walks.filter((w) => w.outcome === 'complete' || (w.outcome === 'torn' && w.tornBy === 'signal'));
  const last = noisy.findLast((walk) => walk.sequence > newest && equal(walk));
  if (!last || !verdict.notes.includes('settled_by_equal_digests')) return false;
  const chain = noisy.filter((walk) => walk.catalog.digest === last.catalog.digest);
  let count = 0;
  let end = 0;
  for (const walk of chain) {
    if (walk.startSequence <= end) continue;
    count += 1;
    end = walk.sequence;
  }
  return count >= EQUAL_WALKS;
}

describe('over random stories', () => {
  it('converged is never said without what entitles to it', () => {
    const counted = { plain: 0, settled: 0 };
    for (let seed = 1; seed <= 4000; seed++) {
      const story = tellRandomly(new Story(LIMITS), seed);
      for (const verdict of story.verdicts.filter((one) => one.verdict === 'converged')) {
        counted[verdict.notes.includes('settled_by_equal_digests') ? 'settled' : 'plain'] += 1;
        assert.ok(entitles(story.observations, verdict), `seed ${seed}: ${keyOf(verdict)}`);
      }
    }
    assert.ok(counted.plain > 1000 && counted.settled > 100, JSON.stringify(counted));
  });

  it('the same evidence gives the same verdicts whenever it arrives, in batches and on another clock', () => {
    for (let seed = 1; seed <= 500; seed++) {
      const live = tellRandomly(new Story(LIMITS), seed);
      for (const [lateMs, skewMs] of [
        [7000, 0],
        [0, -3_600_000],
        [20_000, 86_400_000],
      ] as const) {
        const engine = createEngine(LIMITS);
        const arriveMs = live.nowMs + lateMs + skewMs;
        const verdicts = live.observations.flatMap((one) => [...engine.observe(one, arriveMs).verdicts]);
        verdicts.push(...engine.advance(arriveMs + 10_000_000).verdicts);
        assert.deepEqual(verdicts.map(keyOf), live.verdicts.map(keyOf), `seed ${seed}, late ${lateMs}`);
      }
    }
  });

  it('observations that come again change nothing, before the end and after it', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const story = tellRandomly(new Story(LIMITS), seed).close();
      const engine = createEngine(LIMITS);
      const twice: Verdict[] = [];
      for (const one of story.observations) {
        twice.push(...engine.observe(one, one.timeMs).verdicts, ...engine.observe(one, one.timeMs).verdicts);
      }
      for (const one of story.observations) twice.push(...engine.observe(one, story.nowMs).verdicts);
      twice.push(...engine.advance(story.nowMs + 60_000).verdicts);
      assert.deepEqual(twice.map(keyOf), story.verdicts.map(keyOf), `seed ${seed}`);
      assert.equal(engine.counters().duplicates, 2 * story.observations.length);
      assert.deepEqual(engine.current(), { converged: 0, stale: 0, incomplete: 0, unverifiable: 0 });
    }
  });

  it('connections that have nothing to do with each other do not change each other', () => {
    for (let seed = 1; seed <= 100; seed++) {
      const stories = [0, 1, 2].map((i) =>
        tellRandomly(new Story(LIMITS, createEngine(LIMITS), `c${i}`), 3 * seed + i),
      );
      const engine = createEngine(LIMITS);
      const all = stories.flatMap((story) => story.observations).sort((a, b) => a.timeMs - b.timeMs);
      const verdicts = all.flatMap((one) => [...engine.observe(one, one.timeMs).verdicts]);
      verdicts.push(...engine.advance(2_000_000).verdicts);
      for (const story of stories) {
        const own = verdicts.filter((one) => one.connectionId === story.connectionId);
        assert.deepEqual(own.map(keyOf), story.verdicts.map(keyOf), `seed ${seed}`);
      }
    }
  });

  it('every verdict has the kind of its reason and a time that does not go back', () => {
    for (let seed = 1; seed <= 500; seed++) {
      const story = tellRandomly(new Story(LIMITS), seed).close();
      let beforeMs = 0;
      for (const verdict of story.verdicts) {
        assert.equal(verdict.verdict, REASONS[verdict.reason].verdict);
        assert.ok(verdict.timeMs >= beforeMs, `seed ${seed}: ${keyOf(verdict)}`);
        beforeMs = verdict.timeMs;
      }
    }
  });
});

describe('junk', () => {
  const JUNK = [undefined, null, 7.5, -1, 0, 1e308, '', 'x', '__proto__', [], {}, [1], [null], { kind: 'x' }, true];

  /** The observation with each of its members in turn, down to the innermost, replaced by each kind of junk. */
  function* spoil(value: unknown): Generator<unknown> {
    if (typeof value !== 'object' || value === null) return;
    for (const key of Object.keys(value)) {
      const copy = (member: unknown): unknown =>
        Array.isArray(value)
          ? value.map((item, i) => (String(i) === key ? member : item))
          : { ...value, [key]: member };
      for (const junk of JUNK) yield copy(junk);
      for (const inner of spoil((value as Readonly<Record<string, unknown>>)[key])) yield copy(inner);
    }
  }

  it('in any one member of any observation of a story makes no call throw, whatever else is right', () => {
    const story = new Story();
    story
      .open()
      .list(['a', 'b'], { ttlMs: 5 })
      .install(['a'], { policy: { kind: 'interval', seconds: 1 } })
      .signal();
    story.tell({
      kind: 'delivered',
      source: 'wire',
      partial: false,
      catalog: { recipe: 'tools/1', size: 0 },
    });
    story.list(['a:2']).call('a').list(['a'], { outcome: 'failed' });
    story.tell({ kind: 'epoch_changed', cause: 'reported' }).close();
    let tried = 0;
    story.observations.forEach((one, index) => {
      for (const spoiled of spoil(one)) {
        const engine: Engine = createEngine({ reorderMs: 1 });
        const told = story.observations.with(index, spoiled as Observation);
        const verdicts = told.flatMap((each) => [...engine.observe(each, story.nowMs).verdicts]);
        verdicts.push(...engine.advance(story.nowMs + 60_000).verdicts, ...engine.end(story.nowMs + 60_000).verdicts);
        for (const { verdict, reason, judged, layer } of verdicts) {
          assert.equal(verdict, REASONS[reason].verdict);
          assert.ok(['discovered', 'installed', 'used'].includes(layer));
          assert.ok(judged.every((span) => typeof span.spanId === 'string'));
        }
        engine.current();
        tried += 1;
      }
    });
    assert.ok(tried > 2000, String(tried));
  });
});
