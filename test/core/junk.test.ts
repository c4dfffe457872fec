// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Whatever comes in the place of an observation or of any of its members: no call throws, and every verdict makes sense. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createEngine } from '../../processor/core/index.ts';
import { MAX_NUMBER } from '../../semconv/limits.ts';
import { REASONS } from '../../semconv/names.ts';
import type { Observation } from '../../semconv/observation.ts';
import { arbitraryObservation } from '../support/arbitrary-observation.ts';
import { type Key, waysInto } from '../support/arbitrary-tools.ts';
import { runs } from '../support/fixed-runs.ts';
import { anything } from '../support/hostile-values.ts';
import { SAMPLES } from '../support/sample-observations.ts';
import { Story } from './story.ts';

/** One observation of each kind, with most of the members there are. */
function tellEverything(): Story {
  const story = new Story().open().list(['a', 'b'], { ttlMs: 5, cacheScope: 'public' });
  story.install(['a'], { policy: { kind: 'interval', seconds: 1 }, visibility: 'turn', principal: '0123456789abcdef' });
  story
    .signal()
    .tell({ kind: 'principal', principal: '0123456789abcdef' })
    .tell({ kind: 'boundary', boundary: 'turn' });
  story.tell({ kind: 'delivered', source: 'wire', partial: false, catalog: { recipe: 'tools/1', size: 0 } });
  story.list(['a:2']).call('a').list(['a'], { outcome: 'failed' });
  return story.tell({ kind: 'epoch_changed', cause: 'reported' }).close();
}

/** Tells it all to an engine of its own, whose every answer is looked at. */
function hear(told: readonly unknown[], nowMs: number): void {
  const engine = createEngine({ reorderMs: 1 });
  const verdicts = told.flatMap((each) => [...engine.observe(each as Observation, nowMs).verdicts]);
  verdicts.push(...engine.advance(nowMs + 60_000).verdicts, ...engine.end(nowMs + 60_000).verdicts);
  for (const { verdict, reason, judged, layer, timeMs, signalLagS = 0 } of verdicts) {
    assert.equal(verdict, REASONS[reason].verdict);
    assert.ok(['discovered', 'installed', 'used'].includes(layer));
    assert.ok(judged.every((span) => typeof span.spanId === 'string'));
    assert.ok(Number.isFinite(timeMs) && Number.isFinite(signalLagS));
  }
  engine.current();
}

/** `value` with `junk` in the place that `way` leads to. */
function spoil(value: unknown, [key, ...rest]: readonly Key[], junk: unknown): unknown {
  if (key === undefined) return junk;
  const member = spoil(Reflect.get(value as object, key), rest, junk);
  return Array.isArray(value) ? value.with(Number(key), member) : { ...(value as object), [key]: member };
}

/** Any place in any of them, the whole of one included. */
function placesIn(
  observations: readonly Observation[],
): fc.Arbitrary<{ at: number; kind: string; way: readonly Key[] }> {
  const places = observations.flatMap((one, at) => [[], ...waysInto(one)].map((way) => ({ at, kind: one.kind, way })));
  return fc.constantFrom(...places);
}

const story = tellEverything();
/** Without its close, so that one more can follow. */
const opened = story.observations.slice(0, -1);
const NEXT = { connectionId: story.connectionId, sequence: story.sequence };
const place = placesIn(story.observations);

describe('the engine', () => {
  it('takes any JSON value at any place of any observation', () => {
    fc.assert(
      fc.property(place, fc.jsonValue(), ({ at, way }, junk) => {
        hear(story.observations.with(at, spoil(story.observations[at], way, junk) as Observation), story.nowMs);
      }),
      runs(3000),
    );
  });

  it('takes anything that JavaScript can hold at any place of any observation', () => {
    fc.assert(
      fc.property(placesIn(SAMPLES), anything, ({ at, way }, junk) => {
        hear([...opened, spoil({ ...SAMPLES[at], ...NEXT }, way, junk)], story.nowMs);
      }),
      runs(2000),
    );
  });

  it('takes numbers and words that sit on every edge', () => {
    const edges = fc.constantFrom(
      undefined,
      null,
      -1,
      0,
      7.5,
      1e308,
      Number.NaN,
      '',
      'x',
      '__proto__',
      [],
      {},
      [null],
      true,
    );
    fc.assert(
      fc.property(place, edges, ({ at, way }, junk) => {
        hear(story.observations.with(at, spoil(story.observations[at], way, junk) as Observation), story.nowMs);
      }),
      runs(3000),
    );
  });

  it('takes every sequence of observations that are well-formed and make no sense', () => {
    const inOrder = fc.array(fc.tuple(arbitraryObservation, fc.constantFrom('c1', 'c1', 'c1', 'c2')), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(inOrder, fc.nat({ max: 15 }), fc.integer({ min: 1, max: MAX_NUMBER }), (list, early, nowMs) => {
        const told = list.map(([one, connectionId], i) => ({
          ...one,
          connectionId,
          sequence: list.slice(0, i + 1).filter(([, id]) => id === connectionId).length,
          ...('previousConnectionId' in one && { previousConnectionId: 'c1' }),
          ...('startSequence' in one && { startSequence: one.startSequence % 20 }),
        }));
        hear([...told.slice(early), ...told.slice(0, early)], nowMs);
      }),
      runs(500),
    );
  });

  it('takes objects that throw when they are read', () => {
    const hostile = new Proxy({}, { get: () => assert.fail(), ownKeys: () => assert.fail(), has: () => assert.fail() });
    const observation = story.observations[3];
    for (const key of Object.keys(observation ?? {})) hear([{ ...observation, [key]: hostile }], story.nowMs);
    hear([hostile, ...story.observations], story.nowMs);
  });
});
