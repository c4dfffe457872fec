// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEngine, type Phase, type PhaseEvent, TRANSITIONS } from '../../processor/core/index.ts';
import { REASONS } from '../../semconv/names.ts';
import type { Observation } from '../../semconv/observation.ts';
import { Story } from './story.ts';

const AB = ['a', 'b'];

/** A story that is made but not told, for a test to tell in its own order. */
function make(tell: (story: Story) => unknown): Observation[] {
  const story = new Story();
  tell(story);
  return story.observations;
}

const STALE = (s: Story) => s.open().list(AB).install(AB).signal().list(['a']);

describe('observations', () => {
  it('that come twice change nothing and are counted', () => {
    const once = new Story();
    const twice = new Story();
    for (const one of make(STALE)) {
      once.hear(one);
      twice.hear(one).hear(one);
    }
    assert.deepEqual(twice.wait(2000).said, once.wait(2000).said);
    assert.equal(twice.engine.counters().duplicates, make(STALE).length);
  });

  it('that come in any order within the window give the same last verdict', () => {
    const expected = new Story();
    for (const one of make(STALE)) expected.hear(one);
    expected.wait(60_000);
    for (let seed = 1; seed <= 50; seed++) {
      const story = new Story();
      for (const one of shuffle(make(STALE), seed)) story.hear(one);
      story.wait(60_000);
      assert.deepEqual(story.said.at(-1), expected.said.at(-1), `seed ${seed}`);
      assert.equal(story.engine.counters().gaps, 0);
    }
  });

  it('of which one is missing are a gap once the window is over, until a new list and a new report', () => {
    const story = new Story({ reorderMs: 500 });
    story.open({ channel: 'none' }).tell({ kind: 'coverage', state: 'opened', channel: 'get_stream' });
    story.list(AB).install(AB);
    story.make({ kind: 'operation', method: 'ping' });
    story.tell({ kind: 'operation', method: 'ping' }).wait(499);
    assert.deepEqual(story.said, ['converged/registry_equal']);
    story.wait(1);
    assert.deepEqual(story.said, ['converged/registry_equal', 'unverifiable/observation_gap']);
    story.list(AB);
    assert.equal(story.said.at(-1), 'unverifiable/observation_gap');
    story.install(AB);
    assert.equal(
      story.said.at(-1),
      'unverifiable/signal_coverage_lost',
      'whether the channel stayed open is not known either',
    );
    story.tell({ kind: 'coverage', state: 'opened', channel: 'get_stream' }).list(AB);
    assert.equal(story.said.at(-1), 'converged/registry_equal');
    assert.equal(story.engine.counters().gaps, 1);
  });

  it('of which too many wait are a gap at once', () => {
    const story = new Story({ reorderCount: 3 });
    story.open().list(AB).install(AB);
    story.make({ kind: 'operation', method: 'ping' });
    for (let i = 0; i < 4; i++) story.tell({ kind: 'operation', method: 'ping' });
    assert.equal(story.said.at(-1), 'unverifiable/observation_gap');
  });

  it('whose beginning was never seen are a gap, ended by what is seen whole', () => {
    const story = new Story({ reorderMs: 500 });
    story.sequence = 7;
    story.list(AB).install(AB).wait(500);
    assert.deepEqual(story.said, ['unverifiable/observation_gap', 'unverifiable/no_signal_channel']);
  });

  it('of unrelated connections do not touch each other', () => {
    const alone = new Story();
    STALE(alone).wait(2000);
    const engine = createEngine({ graceMs: 1000 });
    const stories = ['x', 'y', 'z'].map((id) => new Story({}, engine, id));
    const scripts = stories.map(() => make(STALE));
    for (let i = 0; i < (scripts[0]?.length ?? 0); i++) {
      stories.forEach((story, index) => {
        story.hear({ ...(scripts[index]?.[i] as Observation), connectionId: story.connectionId });
      });
    }
    const said: string[] = [];
    const { verdicts } = engine.advance(1_002_000);
    for (const id of ['x', 'y', 'z']) {
      const own = [...stories.flatMap((story) => story.verdicts), ...verdicts].filter((one) => one.connectionId === id);
      said.push(own.map(({ verdict, reason }) => `${verdict}/${reason}`).join(' '));
    }
    assert.deepEqual(said, [alone.said.join(' '), alone.said.join(' '), alone.said.join(' ')]);
  });

  it('that are none are counted and change nothing', () => {
    const { engine } = new Story();
    const good = make((s) => s.open().list(AB).install(AB));
    for (const one of good) {
      for (const key of Object.keys(one)) {
        for (const junk of [undefined, null, 7.5, -1, '', 'x', [], {}, [1], Number.NaN, () => {}]) {
          engine.observe({ ...one, [key]: junk } as never, 0);
        }
      }
    }
    for (const junk of [null, undefined, 5, 'x', [], {}, { kind: 'signal' }, { kind: '__proto__' }])
      engine.observe(junk as never, 0);
    assert.ok((engine.counters().dropped.not_an_observation ?? 0) > 100);
  });
});

describe('bounds', () => {
  it('drop the connection heard of least recently, and say so of it', () => {
    const engine = createEngine({ graceMs: 1000, connections: 2 });
    const first = new Story({}, engine, 'c1').open().list(AB).install(AB);
    const second = new Story({}, engine, 'c2').open().list(AB).install(AB);
    first.tell({ kind: 'operation', method: 'ping' });
    const third = new Story({}, engine, 'c3').open();
    const evicted = [...first.verdicts, ...second.verdicts, ...third.verdicts].filter(
      ({ reason }) => reason === 'evicted',
    );
    assert.deepEqual(
      evicted.map(({ connectionId, limit }) => ({ connectionId, limit })),
      [{ connectionId: 'c2', limit: 'connections' }],
    );
    assert.equal(engine.counters().dropped.connections, 1);
  });

  it('drop a connection of which nothing was heard for long', () => {
    const story = new Story({ idleMs: 10_000 });
    story.open().list(AB).install(AB).wait(10_000);
    assert.deepEqual(story.said, ['converged/registry_equal', 'unverifiable/evicted']);
    assert.equal(story.engine.current().unverifiable, 0);
  });

  it('forget the oldest catalogs, but none that is installed, and know a forgotten one no longer', () => {
    const story = new Story({ history: 2 });
    story.open().list(['a:1']).install(['a:1']).list(['a:2']).list(['a:3']).list(['a:4']).wait(1000);
    assert.equal(story.said.at(-1), 'stale/definition_changed');
    story.install(['a:2']).wait(1000);
    assert.equal(story.said.at(-1), 'unverifiable/unknown_transform');
  });

  it('are checked when the engine is made', () => {
    assert.throws(() => createEngine({ connections: 0 }), TypeError);
    assert.throws(() => createEngine({ graceMs: Number.NaN }), TypeError);
    assert.doesNotThrow(() => createEngine({ graceMs: 0 }));
  });
});

describe('the table of transitions', () => {
  it('answers every event in every phase', () => {
    const events: PhaseEvent[] = [
      'complete',
      'overtaken',
      'incomplete',
      'torn',
      'settled',
      'signal',
      'storm',
      'epoch',
      'gap',
    ];
    for (const phase of Object.keys(TRANSITIONS) as Phase[]) {
      for (const event of events) assert.ok(TRANSITIONS[phase][event] in TRANSITIONS, `${phase} ${event}`);
    }
  });

  it('reaches current only by a walk that nothing has overtaken', () => {
    for (const [phase, row] of Object.entries(TRANSITIONS)) {
      for (const [event, next] of Object.entries(row)) {
        if (next !== 'current') continue;
        assert.ok(
          event === 'complete' || event === 'settled' || (phase === 'current' && event === 'incomplete'),
          `${phase} ${event}`,
        );
      }
    }
  });
});

describe('converged, over random stories,', () => {
  it('is never said without a whole walk in this epoch that began after the newest signal, and an equal registry', () => {
    let converged = 0;
    for (let seed = 1; seed <= 3000; seed++) {
      const random = randomOf(seed);
      const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
      const story = new Story({ equalWalks: 1000 }).open({
        listChanged: random() < 0.8,
        channel: pick(['pipe', 'none']),
      });
      for (let i = 0; i < 14; i++) {
        const before = story.verdicts.length;
        const tools = pick([['a'], ['a'], ['a'], ['a:2'], AB]);
        const outcome = pick(['complete', 'complete', 'abandoned', 'failed', 'torn'] as const);
        const crossed = random() < 0.2;
        pick([
          () =>
            story.list(tools, { outcome, pages: pick([1, 2]), ...(crossed && { meanwhile: () => story.signal() }) }),
          () => story.install(tools),
          () => story.install(tools, { filtered: ['b'] }),
          () => story.signal(),
          () => story.wait(pick([10, 400, 1500])),
          () => {
            story.epoch = `e${i}`;
            story.tell({ kind: 'epoch_changed', cause: 'session_changed' });
          },
          () => story.tell({ kind: 'coverage', state: pick(['opened', 'closed']), channel: 'pipe' }),
          () => story.call('a'),
        ])();
        for (const verdict of story.verdicts.slice(before).filter((one) => one.verdict === 'converged')) {
          converged += 1;
          const seen = story.observations.filter((one) => one.sequence <= verdict.sequence);
          const signal =
            seen.findLast((one) => one.kind === 'signal' && one.epoch.id === verdict.epoch.id)?.sequence ?? 0;
          const walk = seen.findLast(
            (one) =>
              one.kind === 'traversal' &&
              one.outcome === 'complete' &&
              one.epoch.id === verdict.epoch.id &&
              one.startSequence > signal,
          );
          const report = seen.findLast((one) => one.kind === 'installed');
          assert.ok(walk?.kind === 'traversal' && report?.kind === 'installed', `seed ${seed}`);
          assert.equal(report.epoch.id, verdict.epoch.id, `seed ${seed}`);
          // A host that installs what it says it filtered has the whole catalog all the same.
          const whole = report.catalog.digest === walk.catalog.digest;
          const expected = walk.catalog.entries?.filter(({ name }) => !report.filtered.includes(name));
          assert.deepEqual(report.catalog.entries, whole ? walk.catalog.entries : expected, `seed ${seed}`);
        }
      }
    }
    assert.ok(converged > 200, `only ${converged} converged verdicts were looked at`);
  });
});

describe('every reason', () => {
  it('belongs to one verdict and has a next step', () => {
    for (const [reason, { verdict, nextStep }] of Object.entries(REASONS)) {
      assert.ok(['converged', 'stale', 'incomplete', 'unverifiable'].includes(verdict), reason);
      assert.ok(nextStep.length > 0, reason);
    }
  });
});

function randomOf(seed: number): () => number {
  let state = seed * 2654435761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 374761393) >>> 0;
    return state / 4294967296;
  };
}

function shuffle<T>(list: readonly T[], seed: number): T[] {
  const random = randomOf(seed);
  return list
    .map((item) => [random(), item] as const)
    .sort((a, b) => a[0] - b[0])
    .map(([, item]) => item);
}
