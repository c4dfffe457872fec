// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** What is overdue is said, whatever else goes on meanwhile; and what is over is not held against anybody. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEngine } from '../../processor/core/index.ts';
import { catalogOf, Story } from './story.ts';

const AB = ['a', 'b'];
const converged = () => new Story().open().list(AB).install(AB);
const last = (story: Story) => story.said.at(-1);

describe('grace is not started again by', () => {
  it('one torn walk after the other', () => {
    const story = converged();
    for (let i = 0; i < 10; i++) story.wait(500).list(AB, { pages: 2, outcome: 'torn', tornBy: 'overlap' });
    assert.equal(last(story), 'unverifiable/pages_torn');
  });

  it('reports on an epoch of which nothing is listed', () => {
    const story = converged();
    story.epoch = 'e2';
    for (let i = 0; i < 10; i++) story.wait(500).install(AB);
    assert.equal(last(story), 'unverifiable/not_listed');
  });

  for (const [lists, verdict] of [
    [true, 'stale/epoch_changed'],
    [false, 'unverifiable/not_listed'],
  ] as const) {
    it(`epochs that change faster than it, ${lists ? 'each' : 'none'} of them listed`, () => {
      const story = converged();
      for (let i = 2; i < 12; i++) {
        story.epoch = `e${i}`;
        story.tell({ kind: 'epoch_changed', cause: 'session_changed' });
        if (lists) story.list(AB);
        story.wait(500);
      }
      assert.equal(last(story), verdict);
    });
  }

  it('signals that cross every walk, while the registry is long known to be older', () => {
    const story = new Story().open().list(['a']).install(['a']);
    for (let i = 2; i < 12; i++) story.list([`a:${i}`], { meanwhile: () => story.signal() }).wait(900);
    assert.equal(last(story), 'stale/definition_changed');
  });

  it('a duplicate, a batch or a time that is far off', () => {
    for (const spoil of [
      (s: Story) => s.hear(s.observations[0]!),
      (s: Story) => s.tell({ kind: 'operation', method: 'ping' }),
      (s: Story) => s.hear({ ...s.make({ kind: 'operation', method: 'ping' }), timeMs: 0 }),
    ]) {
      const story = converged();
      story.nowMs += 3_600_000;
      spoil(story);
      story.signal().wait(60_000);
      assert.ok(story.said.includes('stale/signal_unanswered') || story.said.includes('unverifiable/observation_gap'));
    }
  });
});

describe('a deadline between two observations', () => {
  it('is kept although a later one came first', () => {
    const story = converged().signal().wait(500);
    const walk = story.sequence + 1;
    story.list(AB);
    const made = story.observations.splice(0);
    const fresh = new Story();
    for (const one of made.filter(({ sequence }) => sequence < walk)) fresh.hear(one);
    fresh.nowMs += 3000;
    fresh.sequence = walk;
    const [second, third] = [
      fresh.make({ kind: 'operation', method: 'x' }),
      fresh.make({ kind: 'operation', method: 'y' }),
    ];
    fresh
      .hear(third)
      .hear({ ...made.find(({ sequence }) => sequence === walk)!, timeMs: fresh.nowMs })
      .hear(second);
    assert.deepEqual(fresh.said, ['converged/registry_equal', 'stale/signal_unanswered', 'converged/registry_equal']);
  });
});

describe('definitions that nobody ever saw', () => {
  it('are unverifiable and never stale, whatever is signalled and whoever answers', () => {
    const story = new Story().open().list(AB).install(['a', 'b:rewritten']).wait(1000);
    story.signal().wait(1000);
    story.epoch = 'e2';
    story.tell({ kind: 'epoch_changed', cause: 'session_changed' }).list(AB).wait(1000);
    assert.ok(
      story.said.every((one) => one === 'unverifiable/unknown_transform'),
      story.said.join(),
    );
  });
});

describe('what is over', () => {
  it('leaves no remainder: a tool that was capped and is gone is not missing', () => {
    const story = new Story()
      .open()
      .list(AB)
      .install(['a'], { capped: ['b'] })
      .signal()
      .list(['a']);
    assert.equal(last(story), 'converged/registry_equal');
  });

  it('gives no window: the stream of a session ends with it', () => {
    const story = new Story()
      .open({ channel: 'none' })
      .tell({ kind: 'coverage', state: 'opened', channel: 'get_stream' });
    story.list(AB).install(AB);
    story.epoch = 'e2';
    story.tell({ kind: 'epoch_changed', cause: 'session_changed' }).list(AB).install(AB);
    assert.equal(last(story), 'unverifiable/signal_coverage_lost');
  });

  it('hears nothing: what comes after a close is dropped and counted', () => {
    const story = converged().close();
    const said = story.said.length;
    story.call('a').wait(100_000);
    assert.equal(story.said.length, said);
    assert.equal(story.engine.counters().dropped.after_close, 1);
  });

  it('is forgotten when the engine ends', () => {
    const engine = createEngine({ graceMs: 1000 });
    new Story({}, engine, 'c1').open().list(AB).install(AB).end();
    const next = new Story({}, engine, 'c2').open({ previous: 'c1' }).list(AB).wait(1000);
    assert.equal(last(next), 'unverifiable/installed_unknown');
  });
});

describe('a client that keeps its interval', () => {
  it('converges all the time, although each walk takes a moment', () => {
    const story = new Story()
      .open({ listChanged: false })
      .list(AB)
      .install(AB, { policy: { kind: 'interval', seconds: 30 } });
    for (let i = 0; i < 5; i++) story.wait(30_000).list(AB, { meanwhile: () => story.wait(50) });
    assert.deepEqual(story.said, ['converged/registry_equal']);
  });
});

describe('freshness', () => {
  it('of a lifetime counts from the request of the first page', () => {
    const story = new Story().open({ listChanged: false });
    story.list(AB, { pages: 2, ttlMs: 1000, meanwhile: () => story.wait(10_000) }).install(AB);
    assert.deepEqual(story.said, ['unverifiable/signal_not_advertised']);
  });

  it('of a run needs a walk that began after the run before', () => {
    const policy = { policy: { kind: 'before_run' } } as const;
    const story = new Story().open({ listChanged: false }).list(AB).install(AB, policy);
    story.list(AB, { meanwhile: () => story.install(AB, policy) }).install(AB, policy);
    assert.equal(last(story), 'unverifiable/refresh_overdue');
  });
});

describe('a cache hit', () => {
  it('does not undo what the SDK made of the newest walk', () => {
    const story = new Story().open().list(AB);
    const walk = story.observations.findLast((one) => one.kind === 'traversal');
    const catalog = catalogOf(['a']);
    story.tell({ kind: 'delivered', source: 'wire', partial: false, traversalId: walk?.traversalId ?? '', catalog });
    story.install(['a']).tell({ kind: 'delivered', source: 'cache', partial: false, catalog }).wait(2000);
    assert.deepEqual(story.said, ['converged/registry_equal']);
  });
});

describe('a report lost in a gap', () => {
  it('is not replaced by the one inherited from the connection before', () => {
    const first = converged().close();
    const story = new Story({}, first.engine, 'c2');
    story.epoch = 'e2';
    story.open({ previous: 'c1' }).list(AB);
    story.make({ kind: 'operation', method: 'lost' });
    story.list(AB).wait(12_000);
    assert.equal(last(story), 'unverifiable/observation_gap');
  });
});
