// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** What holds of every sequence: random stories, checked against a reading of the observations that shares no code with the engine. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createEngine } from '../../processor/core/index.ts';
import { REASONS } from '../../semconv/names.ts';
import type { Observation } from '../../semconv/observation.ts';
import type { Verdict } from '../../semconv/verdict.ts';
import { commands, LIMITS, lossyCommands, tell } from '../support/arbitrary-stories.ts';
import { entitles } from '../support/entitles.ts';
import { runs } from '../support/fixed-runs.ts';
import { type Arrival, delayed, play } from '../support/play.ts';
import { Story } from './story.ts';

const setting = fc.record({ listChanged: fc.constantFrom(true, true, true, false), streamed: fc.boolean() });
/** By how much each observation is late, one after the other and then from the start again. */
const upTo = (max: number) =>
  fc.array(fc.oneof(fc.constantFrom(0, max), fc.nat({ max })), { minLength: 1, maxLength: 40 });
const REORDER_COUNT = 6;

/** The last word on the one registry that a story reports. */
function lastOf(verdicts: readonly Verdict[]): string | undefined {
  return verdicts.map(({ verdict, reason }) => `${verdict}/${reason}`).at(-1);
}

function assertEntitled({ verdicts, observations }: Story): { plain: number; settled: number } {
  const counted = { plain: 0, settled: 0 };
  for (const verdict of verdicts.filter((one) => one.verdict === 'converged')) {
    const settled = verdict.notes.includes('settled_by_equal_digests');
    counted[settled ? 'settled' : 'plain'] += 1;
    const { reason, timeMs, sequence } = verdict;
    assert.ok(
      entitles(observations, verdict, settled ? LIMITS.equalWalks : undefined),
      `${reason} at ${timeMs} of observation ${sequence}`,
    );
  }
  return counted;
}

/** Each some places later, all at one time: at most one less than its places are held back for it. */
function shuffled(observations: readonly Observation[], places: readonly number[], nowMs: number): Arrival[] {
  return observations
    .map((observation, i) => ({ observation, nowMs, place: i + (places[i % places.length] ?? 0) }))
    .sort((x, y) => x.place - y.place);
}

/** The same arrivals and, after the first of each, some of them again. */
function repeated(arrivals: readonly Arrival[], repeats: readonly (readonly [number, number])[]): Arrival[] {
  const told = [...arrivals];
  for (const [what, where] of repeats) {
    const again = arrivals[what % arrivals.length] as Arrival;
    const first = told.indexOf(again);
    const before = first + (where % (told.length - first));
    told.splice(before + 1, 0, { ...again, nowMs: (told[before] as Arrival).nowMs });
  }
  return told;
}

describe('over random stories', () => {
  it('converged is never said without what entitles to it', () => {
    const counted = { plain: 0, settled: 0 };
    fc.assert(
      fc.property(lossyCommands, setting, (list, where) => {
        const { plain, settled } = assertEntitled(tell(new Story(LIMITS), list, where));
        counted.plain += plain;
        counted.settled += settled;
      }),
      runs(3000),
    );
    assert.ok(counted.plain > 300 && counted.settled > 50, JSON.stringify(counted));
  });

  it('converged is never said on what the same client installed on a connection before', () => {
    fc.assert(
      fc.property(commands, commands, (before, list) => {
        const first = tell(new Story(LIMITS), before).close();
        const next = new Story(LIMITS, first.engine, 'c2');
        next.nowMs = first.nowMs;
        assertEntitled(tell(next, list, { previous: 'c1' }));
      }),
      runs(500),
    );
  });

  it('every verdict has the kind of its reason, and a time that does not go back', () => {
    fc.assert(
      fc.property(lossyCommands, setting, (list, where) => {
        const { verdicts } = tell(new Story(LIMITS), list, where).close();
        verdicts.forEach((verdict, i) => {
          assert.equal(verdict.verdict, REASONS[verdict.reason].verdict);
          assert.ok(verdict.timeMs >= (verdicts[i - 1]?.timeMs ?? 0), `${verdict.reason} at ${verdict.timeMs}`);
        });
      }),
      runs(500),
    );
  });

  it('the same evidence gives the same verdicts whenever it arrives, and on whatever clock', () => {
    fc.assert(
      fc.property(commands, setting, fc.constantFrom(0, 7000, -3_600_000, 86_400_000), (list, where, shiftMs) => {
        const story = tell(new Story(LIMITS), list, where);
        const skewed = story.observations.map((one) => ({ observation: one, nowMs: one.timeMs + shiftMs }));
        const batch = story.observations.map((one) => ({ observation: one, nowMs: story.nowMs + shiftMs }));
        for (const arrivals of [skewed, batch]) assert.deepEqual(play(createEngine(LIMITS), arrivals), story.verdicts);
      }),
      runs(400),
    );
  });

  it('observations that come again change nothing, wherever, however often, and after the close', () => {
    const repeats = fc.array(fc.tuple(fc.nat({ max: 50 }), fc.nat({ max: 50 })), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(lossyCommands, upTo(2500), fc.boolean(), repeats, (list, delays, closes, again) => {
        const story = tell(new Story(LIMITS), list);
        const arrivals = delayed((closes ? story.close() : story).heard, delays);
        const [once, twice] = [createEngine(LIMITS), createEngine(LIMITS)];
        assert.deepEqual(play(twice, repeated(arrivals, again)), play(once, arrivals));
        assert.equal(twice.counters().duplicates, once.counters().duplicates + again.length);
        assert.equal(twice.counters().gaps, once.counters().gaps);
      }),
      runs(500),
    );
  });

  it('the order in which unrelated connections are heard changes none of them', () => {
    const stories = fc.array(commands, { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(stories, upTo(3), fc.boolean(), (lists, choices, atOnce) => {
        const told = lists.map((list, i) => tell(new Story(LIMITS, createEngine(LIMITS), `c${i}`), list));
        const endMs = Math.max(...told.map((story) => story.nowMs));
        const queues = told.map((story) => [...story.observations]);
        const mixed: Observation[] = [];
        for (let i = 0; queues.some((queue) => queue.length > 0); i++) {
          const open = queues.filter((queue) => queue.length > 0);
          const next = open[(choices[i % choices.length] ?? 0) % open.length]?.shift();
          if (next) mixed.push(next);
        }
        const arrivals = atOnce ? mixed.map((observation) => ({ observation, nowMs: endMs })) : delayed(mixed);
        const verdicts = play(createEngine(LIMITS), arrivals);
        for (const { connectionId, verdicts: own } of told)
          assert.deepEqual(
            verdicts.filter((one) => one.connectionId === connectionId),
            own,
          );
      }),
      runs(150),
    );
  });

  it('out of order by as many as are waited for, before any deadline, every verdict is the same', () => {
    fc.assert(
      fc.property(commands, upTo(REORDER_COUNT + 1), (list, places) => {
        const story = tell(new Story(LIMITS), list);
        const engine = createEngine({ ...LIMITS, reorderCount: REORDER_COUNT });
        const verdicts = play(engine, shuffled(story.observations, places, story.nowMs));
        assert.equal(engine.counters().gaps, 0);
        assert.deepEqual(verdicts, story.verdicts);
      }),
      runs(400),
    );
  });

  it('out of order for as long as is waited, whatever is said meanwhile, the last word is the same', () => {
    fc.assert(
      fc.property(commands, upTo(LIMITS.reorderMs - 1), (list, delays) => {
        const story = tell(new Story(LIMITS), list);
        const engine = createEngine(LIMITS);
        const verdicts = play(engine, delayed(story.observations, delays));
        assert.equal(engine.counters().gaps, 0);
        assert.deepEqual(lastOf(verdicts), lastOf(story.verdicts));
      }),
      runs(400),
    );
  });
});
