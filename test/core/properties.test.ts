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
import { commands, LIMITS, SEED, tell } from '../support/arbitrary-stories.ts';
import { entitles } from '../support/entitles.ts';
import { Story } from './story.ts';

const keyOf = ({ verdict, reason, layer, timeMs, sequence }: Verdict): string =>
  `${verdict}/${reason} of ${layer} at ${timeMs} of ${sequence}`;
const runs = (numRuns: number) => ({ seed: SEED, numRuns });

/** Everything at the times of the evidence, and then a long time nothing. */
function replay(observations: readonly Observation[], endMs: number, shiftMs = 0): Verdict[] {
  const engine = createEngine(LIMITS);
  const verdicts = observations.flatMap((one) => [...engine.observe(one, one.timeMs + shiftMs).verdicts]);
  return [...verdicts, ...engine.advance(endMs + shiftMs + 60_000).verdicts];
}

/** The last verdict of each layer, as what it says. */
function lastOf(verdicts: readonly Verdict[]): Readonly<Record<string, string>> {
  return Object.fromEntries(verdicts.map(({ layer, verdict, reason }) => [layer, `${verdict}/${reason}`]));
}

describe('over random stories', () => {
  it('converged is never said without what entitles to it', () => {
    const counted = { plain: 0, settled: 0 };
    fc.assert(
      fc.property(commands, (list) => {
        const story = tell(new Story(LIMITS), list);
        for (const verdict of story.verdicts.filter((one) => one.verdict === 'converged')) {
          const settled = verdict.notes.includes('settled_by_equal_digests');
          counted[settled ? 'settled' : 'plain'] += 1;
          assert.ok(entitles(story.observations, verdict, settled ? LIMITS.equalWalks : undefined), keyOf(verdict));
        }
      }),
      runs(3000),
    );
    assert.ok(counted.plain > 1000 && counted.settled > 100, JSON.stringify(counted));
  });

  it('every verdict has the kind of its reason, and a time that does not go back', () => {
    fc.assert(
      fc.property(commands, fc.boolean(), (list, listChanged) => {
        const { verdicts } = tell(new Story(LIMITS), list, listChanged).close();
        verdicts.forEach((verdict, i) => {
          assert.equal(verdict.verdict, REASONS[verdict.reason].verdict);
          assert.ok(verdict.timeMs >= (verdicts[i - 1]?.timeMs ?? 0), keyOf(verdict));
        });
      }),
      runs(500),
    );
  });

  it('the same evidence gives the same verdicts whenever it arrives, and on whatever clock', () => {
    fc.assert(
      fc.property(commands, fc.constantFrom(0, 7000, -3_600_000, 86_400_000), (list, shiftMs) => {
        const story = tell(new Story(LIMITS), list);
        const verdicts = replay(story.observations, story.nowMs, shiftMs);
        assert.deepEqual(verdicts.map(keyOf), story.verdicts.map(keyOf));
      }),
      runs(500),
    );
  });

  it('observations that come again change nothing, wherever, however often, and after the close', () => {
    const places = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 20 });
    fc.assert(
      fc.property(commands, places, (list, repeats) => {
        const story = tell(new Story(LIMITS), list).close();
        const { observations, nowMs } = story;
        const told = [...observations];
        for (const [what, where] of repeats) {
          const at = what % observations.length;
          // Not before its first time: there it would be an early observation, not a repeated one.
          const first = told.indexOf(observations[at] as Observation);
          told.splice(first + 1 + (where % (told.length - first)), 0, observations[at] as Observation);
        }
        assert.deepEqual(replay(told, nowMs).map(keyOf), story.verdicts.map(keyOf));
      }),
      runs(500),
    );
  });

  it('the order in which unrelated connections are heard changes none of them', () => {
    const stories = fc.array(commands, { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(stories, fc.array(fc.nat(), { minLength: 200, maxLength: 200 }), (lists, choices) => {
        const told = lists.map((list, i) => tell(new Story(LIMITS, createEngine(LIMITS), `c${i}`), list));
        const queues = told.map((story) => [...story.observations]);
        const mixed: Observation[] = [];
        for (let i = 0; queues.some((queue) => queue.length > 0); i++) {
          const open = queues.filter((queue) => queue.length > 0);
          const next = open[(choices[i % choices.length] ?? 0) % open.length]?.shift();
          if (next) mixed.push(next);
        }
        // All at once, so that any interleaving is one that may arrive.
        const endMs = Math.max(...told.map((story) => story.nowMs));
        const engine = createEngine(LIMITS);
        const verdicts = mixed.flatMap((one) => [...engine.observe(one, endMs).verdicts]);
        verdicts.push(...engine.advance(endMs + 60_000_000).verdicts);
        for (const story of told) {
          const own = verdicts.filter((one) => one.connectionId === story.connectionId);
          assert.deepEqual(own.map(keyOf), story.verdicts.map(keyOf));
        }
      }),
      runs(150),
    );
  });

  it('out of order within the window, the last word on each layer is the same', () => {
    fc.assert(
      fc.property(commands, fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 40 }), (list, delays) => {
        const story = tell(new Story(LIMITS), list);
        const late = story.observations
          .map((one, i) => ({ one, key: i + (delays[i % delays.length] ?? 0), i }))
          .sort((x, y) => x.key - y.key || x.i - y.i)
          .map(({ one }) => one);
        // The first observation of a connection opens it; what comes before it is held back like any other.
        const engine = createEngine(LIMITS);
        let nowMs = 0;
        const verdicts = late.flatMap((one) => {
          nowMs = Math.max(nowMs, one.timeMs);
          return [...engine.observe(one, nowMs).verdicts];
        });
        verdicts.push(...engine.advance(story.nowMs + 60_000_000).verdicts);
        assert.equal(engine.counters().gaps, 0);
        assert.deepEqual(lastOf(verdicts), lastOf(story.verdicts));
      }),
      runs(500),
    );
  });
});
