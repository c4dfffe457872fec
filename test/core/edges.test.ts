// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Sequences on which a verdict once was wrong, or easily could be: each is one rule seen from its edge. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createEngine } from '../../processor/core/index.ts';
import { Story } from './story.ts';

const AB = ['a', 'b'];
const last = (s: Story) => s.said.at(-1);

it('never throws on an unknown outcome', () => {
  const s = new Story().open().install(AB);
  assert.doesNotThrow(() => s.list(AB, { outcome: 'x' as never }).wait(5000));
});
it('span null is not judged', () => {
  const s = new Story().open().list(AB);
  const o = s.make({ kind: 'operation', method: 'x' });
  s.hear({ ...o, span: null } as never);
  s.list(AB);
  const i = s.make({ kind: 'signal', malformed: false, early: false });
  s.hear({ ...i, span: null } as never)
    .list(AB)
    .install(AB)
    .wait(5000);
  assert.ok(s.verdicts.every((v) => v.judged.every((x) => x)));
});
it('a signal after settling, never answered, ends converged', () => {
  const s = new Story().open().list(AB).install(AB);
  for (let i = 0; i < 5; i++) s.list(AB, { meanwhile: () => s.signal() });
  s.wait(3_600_000).signal().wait(60_000);
  assert.equal(last(s), 'stale/signal_unanswered');
});
it('quiet polls do not settle a signal that crosses the next one', () => {
  const s = new Story().open().list(AB).install(AB).list(AB).list(AB);
  s.list(AB, { meanwhile: () => s.signal() }).wait(60_000);
  assert.equal(last(s), 'stale/signal_unanswered');
});
it('walks at once, all crossed by one signal, do not settle it', () => {
  const s = new Story().open().list(AB).install(AB);
  const start = s.sequence + 1;
  s.signal();
  for (let i = 0; i < 4; i++) s.list(AB, { startSequence: start });
  s.wait(60_000);
  assert.equal(last(s), 'stale/signal_unanswered');
});
it('overlap-torn walks crossed by signals do not settle', () => {
  const s = new Story().open().install(AB);
  for (let i = 0; i < 4; i++) s.list(AB, { pages: 2, outcome: 'torn', tornBy: 'overlap', meanwhile: () => s.signal() });
  s.wait(60_000);
  assert.ok(!s.said.some((x) => x.startsWith('converged')), s.said.join());
});
it('a walk asked for in the epoch before does not count in the new one', () => {
  const s = new Story().open();
  s.list(AB, {
    meanwhile: () => {
      s.epoch = 'e2';
      s.tell({ kind: 'epoch_changed', cause: 'session_changed' });
    },
  })
    .install(AB)
    .wait(60_000);
  assert.ok(!s.said.some((x) => x.startsWith('converged')), s.said.join());
});
it('polling faster than grace does not postpone stale for ever', () => {
  const s = new Story().open().list(['a']).install(['a']);
  for (let i = 0; i < 30; i++) s.wait(500).list(['a:2']);
  assert.equal(last(s), 'stale/definition_changed');
});
it('same for a dead binding', () => {
  const s = new Story().open().list(AB).install(AB);
  s.epoch = 'e2';
  s.tell({ kind: 'epoch_changed', cause: 'session_lost' });
  for (let i = 0; i < 30; i++) s.wait(500).list(AB);
  assert.equal(last(s), 'stale/epoch_changed');
});
it('fixture 8: the first walk, overtaken by the second, is installed late', () => {
  const s = new Story().open();
  s.list(['a'], { meanwhile: () => s.signal().list(['a:2']).install(['a:2']) })
    .install(['a'])
    .wait(5000);
  assert.equal(last(s), 'stale/definition_changed');
});
it('a batch that arrives late gives the same verdicts', () => {
  const live = new Story();
  live.open().list(AB).install(AB).wait(100).signal().wait(300).list(AB);
  const e = createEngine({ graceMs: 1000 });
  const said = live.observations.flatMap((o) => e.observe(o, 1_000_000 + 6000).verdicts).map((v) => v.reason);
  assert.deepEqual(
    said,
    live.verdicts.map((v) => v.reason),
  );
});
it('time of a verdict is that of its evidence', () => {
  const e = createEngine();
  const s = new Story();
  s.open().list(AB).install(AB);
  const v = s.observations.flatMap((o) => e.observe(o, o.timeMs + 3000).verdicts);
  assert.equal(v.at(-1)?.timeMs, s.observations.at(-1)?.timeMs);
});
it('a deadline that lay between two observations of one batch is not passed over', () => {
  const live = new Story();
  live.open().list(AB).install(AB).signal().wait(3000).list(AB);
  const e = createEngine({ graceMs: 1000 });
  const said = live.observations.flatMap((o) => e.observe(o, o.timeMs).verdicts).map((v) => v.reason);
  assert.deepEqual(
    said,
    live.verdicts.map((v) => v.reason),
  );
});
it('a batch sent again after the close changes nothing', () => {
  const s = new Story();
  s.open().list(AB).install(AB).close();
  const n = s.verdicts.length;
  for (const o of s.observations.slice()) s.hear(o);
  s.wait(60_000);
  assert.equal(s.verdicts.length, n, s.said.join());
});
it('a reconnected client of which nothing was seen is not counted as converged', () => {
  const e = createEngine({ graceMs: 1000 });
  const a = new Story({}, e, 'c1').open().list(AB).install(AB).close();
  const b = new Story({}, e, 'c2');
  b.nowMs = a.nowMs;
  b.epoch = 'e2';
  b.open({ previous: 'c1' }).wait(5000);
  assert.equal(e.current().converged, 0);
});
it('a host that reports only used has one view', () => {
  const s = new Story().open().list(AB).install(AB, { layer: 'used' }).wait(5000);
  assert.deepEqual(s.said, ['converged/registry_equal']);
});
it('fixture 4: full baseline, then page one of a re-list installed', () => {
  const s = new Story()
    .open()
    .list(AB)
    .install(AB)
    .list(['a'], { outcome: 'abandoned', cursors: ['x'] })
    .install(['a'])
    .wait(5000);
  assert.equal(last(s), 'incomplete/cursor_left');
});
it('a burst that ends unanswered is stale in the end', () => {
  const s = new Story({ stormSignals: 3 })
    .open()
    .list(AB)
    .install(AB)
    .signal()
    .signal()
    .signal()
    .signal()
    .wait(3_600_000);
  assert.equal(last(s), 'stale/signal_unanswered');
});
it('a burst answered at once is no storm (case 163)', () => {
  const s = new Story({ stormSignals: 3 }).open().list(AB).install(AB);
  for (let i = 0; i < 200; i++) s.signal();
  s.wait(100).list(AB);
  assert.ok(!s.said.includes('unverifiable/signal_storm'), s.said.join());
});
it('a list that changes with each signal is a storm, not stale', () => {
  const s = new Story({ stormSignals: 5 }).open().list(AB).install(AB);
  for (let i = 0; i < 40; i++) s.wait(300).list(['a', `b:${i}`], { meanwhile: () => s.signal() });
  assert.equal(last(s), 'unverifiable/signal_storm');
});
it('a call under way when the verdict falls is not blamed', () => {
  const s = new Story().open().list(AB).install(AB);
  const startSequence = s.sequence + 1;
  s.signal().wait(5000).tell({ kind: 'call', tool: 'a', outcome: 'ok', startSequence });
  assert.equal(s.staleCalls.length, 0);
});
it('an unknown layer or channel is no observation', () => {
  const s = new Story()
    .open()
    .list(AB)
    .install(AB, { layer: 'zzz' as never });
  assert.ok((s.engine.counters().dropped.not_an_observation ?? 0) > 0);
});
it('the twenty-first changed tool is known to be older as well', () => {
  const names = Array.from({ length: 30 }, (_, i) => `t${String(i).padStart(2, '0')}`);
  const s = new Story()
    .open()
    .list(names)
    .install(names)
    .list(names.map((n) => `${n}:2`))
    .call('t29');
  assert.equal(s.staleCalls.length, 1);
});
it('older definitions behind twenty rewritten ones are found', () => {
  const names = Array.from({ length: 30 }, (_, i) => `t${String(i).padStart(2, '0')}`);
  const s = new Story()
    .open()
    .list(names)
    .list(names.map((n) => `${n}:2`));
  s.install(names.map((n, i) => (i < 25 ? `${n}:r` : n))).wait(5000);
  assert.equal(last(s), 'stale/definition_changed');
});
it('a deadline is not judged while the answer is held back', () => {
  const s = new Story({ reorderMs: 60_000 }).open().list(AB).install(AB).signal();
  const missing = s.make({ kind: 'operation', method: 'ping' });
  s.list(AB).wait(5000).hear(missing);
  assert.ok(!s.said.includes('stale/signal_unanswered'), s.said.join());
});
it('a pipe outlives a gap', () => {
  const s = new Story({ reorderMs: 500 }).open().list(AB).install(AB);
  s.make({ kind: 'operation', method: 'ping' });
  s.tell({ kind: 'operation', method: 'ping' }).wait(1000).list(AB).install(AB);
  assert.equal(last(s), 'converged/registry_equal');
});
it('a walk that began before a gap proves nothing about what the gap hides', () => {
  const s = new Story({ reorderMs: 500 }).open();
  s.list(AB, {
    meanwhile: () => {
      s.make({ kind: 'operation', method: 'ping' });
      s.tell({ kind: 'operation', method: 'ping' }).wait(1000);
    },
  }).install(AB);
  assert.equal(last(s), 'unverifiable/observation_gap');
});
it('a pipe tells nothing of a modern server, whose signals come by listen streams only', () => {
  const s = new Story().open({ era: 'modern' }).list(AB).install(AB);
  assert.equal(last(s), 'unverifiable/signal_coverage_lost');
  s.tell({ kind: 'coverage', state: 'opened', channel: 'listen' }).list(AB);
  assert.equal(last(s), 'converged/registry_equal');
});
it('a deadline is due as much later as batches have been late so far', () => {
  const e = createEngine({ graceMs: 1000 });
  const s = new Story();
  s.open().list(AB).install(AB).signal();
  const [signal, ...before] = s.observations.toReversed();
  before.toReversed().forEach((o, i) => {
    e.observe(o, o.timeMs + 100 * i);
  });
  const lateMs = 100 * (before.length - 1);
  e.observe(signal!, signal!.timeMs);
  // Until then the engine may ask to be called early, for what has been decided meanwhile.
  assert.equal(e.advance(signal!.timeMs).deadlineMs, signal!.timeMs + 1000 + lateMs);
  assert.deepEqual(e.advance(signal!.timeMs + 1000 + lateMs - 1).verdicts, []);
  const [stale] = e.advance(signal!.timeMs + 1000 + lateMs).verdicts;
  assert.deepEqual([stale?.reason, stale?.timeMs], ['signal_unanswered', signal!.timeMs + 1000]);
});
it('a call that was sent before the newer definition was listed is not blamed', () => {
  const s = new Story().open().list(['a']).install(['a']);
  const startSequence = s.sequence + 1;
  s.list(['a:2']).tell({ kind: 'call', tool: 'a', outcome: 'ok', startSequence });
  assert.equal(s.staleCalls.length, 0);
});
it('a connection that goes on after it was dropped has a gap behind it', () => {
  const e = createEngine({ connections: 1 });
  const s = new Story({}, e, 'c1').open().list(AB).install(AB);
  new Story({}, e, 'c2').open();
  s.install(AB);
  assert.equal(last(s), 'unverifiable/observation_gap');
  assert.equal(e.counters().gaps, 1);
});
it('a revision of an earlier connection names nothing on the next one', () => {
  const e = createEngine({ graceMs: 1000 });
  new Story({}, e, 'c1')
    .open()
    .list(AB, { catalog: { revision: 7 } })
    .install(AB)
    .close();
  const s = new Story({}, e, 'c2')
    .open({ previous: 'c1' })
    .list(['a'], { catalog: { revision: 1 } })
    .wait(5000);
  assert.equal(last(s), 'stale/epoch_changed');
  assert.equal(s.verdicts.at(-1)?.installedRevision, undefined);
});
it('a definition that never changed is no sign of age', () => {
  const s = new Story().open().list(['a', 'c']).list(['a', 'b', 'd']).install(['a', 'b']).wait(5000);
  assert.equal(last(s), 'unverifiable/unaccounted_tools');
});
