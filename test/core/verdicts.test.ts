// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Limits } from '../../processor/core/index.ts';
import { Story } from './story.ts';

interface Case {
  readonly title: string;
  readonly limits?: Partial<Limits>;
  readonly tell: (story: Story) => unknown;
  readonly said: readonly string[];
  readonly notes?: readonly string[];
}

const AB = ['a', 'b'];

const GERMAN_ARTICLE: readonly Case[] = [
  {
    title: 'a complete list and an equal registry',
    tell: (s) => s.open().list(AB, { pages: 2 }).install(AB),
    said: ['converged/registry_equal'],
  },
  {
    title: 'a tool removed, and the registry refreshed',
    tell: (s) => s.open().list(AB).install(AB).signal().list(['a']).install(['a']),
    said: ['converged/registry_equal', 'converged/registry_equal'],
  },
  {
    title: 'a signal and no further list',
    tell: (s) => s.open().list(AB).install(AB).signal().wait(1000),
    said: ['converged/registry_equal', 'stale/signal_unanswered'],
  },
  {
    title: 'page one with a cursor left',
    tell: (s) =>
      s
        .open()
        .install(['a'])
        .list(['a'], { outcome: 'abandoned', cursors: ['x'] }),
    said: ['incomplete/cursor_left'],
  },
  {
    title: 'the same name with another definition, re-listed and not re-registered',
    tell: (s) => s.open().list(['a']).install(['a']).signal().list(['a:2']).wait(1000),
    said: ['converged/registry_equal', 'stale/definition_changed'],
  },
  {
    title: 'a server that does not declare listChanged',
    tell: (s) => s.open({ listChanged: false }).list(AB).install(AB),
    said: ['unverifiable/signal_not_advertised'],
  },
];

const RULE_1: readonly Case[] = [
  {
    title: 'no report within grace',
    tell: (s) => s.open().list(AB).wait(1000),
    said: ['unverifiable/installed_unknown'],
  },
  {
    title: 'no report before the end',
    tell: (s) => s.open().list(AB).close(),
    said: ['unverifiable/installed_unknown'],
  },
  {
    title: 'a report within grace',
    tell: (s) => s.open().list(AB).wait(999).install(AB),
    said: ['converged/registry_equal'],
  },
  {
    title: 'another recipe',
    tell: (s) =>
      s
        .open()
        .list(AB)
        .install(AB, { catalog: { recipe: 'tools/2' } }),
    said: ['unverifiable/recipe_differs'],
  },
  {
    title: 'a definition that could not be digested',
    tell: (s) =>
      s
        .open()
        .list(AB)
        .install(AB, { catalog: { digest: undefined as never, entries: undefined as never, limit: 'depth' } }),
    said: ['unverifiable/limit_reached'],
  },
  {
    title: 'a catalog too large for names, equal as a whole',
    tell: (s) =>
      s
        .open()
        .list(AB, { catalog: { entries: undefined as never } })
        .install(AB, { catalog: { entries: undefined as never } }),
    said: ['converged/registry_equal'],
  },
  {
    title: 'a catalog too large for names, with another digest',
    tell: (s) =>
      s
        .open()
        .list(AB, { catalog: { entries: undefined as never } })
        .install(['a']),
    said: ['unverifiable/limit_reached'],
  },
];

const RULE_2: readonly Case[] = [
  {
    title: 'a failed page',
    tell: (s) => s.open().install(AB).list([], { outcome: 'failed' }),
    said: ['incomplete/page_failed'],
  },
  {
    title: 'a cursor loop',
    tell: (s) => s.open().install(AB).list(['a'], { outcome: 'looped' }),
    said: ['incomplete/cursor_loop'],
  },
  {
    title: 'a page limit',
    tell: (s) => s.open().install(AB).list(['a'], { outcome: 'capped' }),
    said: ['incomplete/page_cap'],
  },
  { title: 'a report and no list', tell: (s) => s.open().install(AB).wait(1000), said: ['unverifiable/not_listed'] },
  {
    title: 'a failed walk after a complete one, which takes nothing away',
    tell: (s) => s.open().list(AB).install(AB).list([], { outcome: 'failed' }),
    said: ['converged/registry_equal'],
  },
  {
    title: 'an old walk that is given up after a newer one is complete',
    tell: (s) => s.open().list(['a'], { outcome: 'abandoned', meanwhile: () => s.list(AB).install(AB) }),
    said: ['converged/registry_equal'],
  },
];

const RULE_3: readonly Case[] = [
  {
    title: 'torn pages',
    tell: (s) => s.open().install(AB).list(AB, { pages: 2, outcome: 'torn', tornBy: 'overlap' }).wait(1000),
    said: ['unverifiable/pages_torn'],
  },
  {
    title: 'a signal among the pages of a walk that calls itself complete',
    tell: (s) =>
      s
        .open()
        .install(AB)
        .list(AB, { pages: 2, meanwhile: () => s.signal() })
        .wait(1000),
    said: ['unverifiable/pages_torn'],
  },
  {
    title: 'torn pages, and a whole walk within grace',
    tell: (s) => s.open().install(AB).list(AB, { pages: 2, outcome: 'torn', tornBy: 'overlap' }).wait(500).list(AB),
    said: ['converged/registry_equal'],
  },
  {
    title: 'more signals than can be answered',
    limits: { stormSignals: 3 },
    tell: (s) => {
      s.open().list(AB).install(AB);
      for (let i = 0; i < 5; i++) s.wait(300).signal();
    },
    said: ['converged/registry_equal', 'unverifiable/signal_storm'],
  },
  {
    title: 'a storm that ends with one more list',
    limits: { stormSignals: 3 },
    tell: (s) => {
      s.open().list(AB).install(AB);
      for (let i = 0; i < 5; i++) s.wait(300).signal();
      s.list(AB);
    },
    said: ['converged/registry_equal', 'unverifiable/signal_storm', 'converged/registry_equal'],
  },
  {
    title: 'signals three times a second over a constant list, each walk crossed by one',
    tell: (s) => {
      s.open().list(AB).install(AB);
      for (let i = 0; i < 20; i++)
        s.signal()
          .wait(333)
          .list(AB, { meanwhile: () => s.signal() });
      s.wait(1000);
    },
    said: ['converged/registry_equal', 'converged/registry_equal'],
    notes: ['settled_by_equal_digests'],
  },
  {
    title: 'a settled list that changes after all',
    tell: (s) => {
      s.open().list(AB).install(AB);
      for (let i = 0; i < 5; i++) s.list(AB, { meanwhile: () => s.signal() });
      s.list(['a'], { meanwhile: () => s.signal() }).wait(1000);
    },
    said: ['converged/registry_equal', 'converged/registry_equal', 'stale/signal_unanswered'],
  },
];

const RULE_4: readonly Case[] = [
  {
    title: 'a walk that began before the signal, although it ended after it',
    tell: (s) =>
      s
        .open()
        .list(AB)
        .install(AB)
        .list(AB, { meanwhile: () => s.signal() })
        .wait(1000),
    said: ['converged/registry_equal', 'stale/signal_unanswered'],
  },
  {
    title: 'three signals and one trailing walk',
    tell: (s) => s.open().list(AB).install(AB).signal().signal().signal().list(AB),
    said: ['converged/registry_equal', 'converged/registry_equal'],
  },
  {
    title: 'grace counts from the oldest unanswered signal',
    tell: (s) => s.open().list(AB).install(AB).signal().wait(600).signal().wait(400),
    said: ['converged/registry_equal', 'stale/signal_unanswered'],
  },
  {
    title: 'a merged registry that keeps what is gone',
    tell: (s) => s.open().list(['old']).install(['old']).signal().list(['new']).install(['old', 'new']).wait(1000),
    said: ['converged/registry_equal', 'stale/tool_set_changed'],
  },
  {
    title: 'another session, with the tools of the first still bound',
    tell: (s) => {
      s.open().list(AB).install(AB);
      s.epoch = 'e2';
      s.tell({ kind: 'epoch_changed', cause: 'session_lost' }).list(AB).wait(1000);
    },
    said: ['converged/registry_equal', 'stale/epoch_changed'],
  },
  {
    title: 'another session, listed and re-registered',
    tell: (s) => {
      s.open().list(AB).install(AB);
      s.epoch = 'e2';
      s.tell({ kind: 'epoch_changed', cause: 'session_lost' }).list(AB).install(AB);
      s.tell({ kind: 'coverage', state: 'closed', channel: 'pipe' });
    },
    said: ['converged/registry_equal', 'converged/registry_equal', 'unverifiable/signal_coverage_lost'],
  },
  {
    title: 'another session and nothing else',
    tell: (s) => {
      s.open().list(AB).install(AB);
      s.epoch = 'e2';
      s.tell({ kind: 'epoch_changed', cause: 'session_lost' }).wait(1000);
    },
    said: ['converged/registry_equal', 'unverifiable/not_listed'],
  },
  {
    title: 'a pinned registry is stale all the same, with a note',
    tell: (s) =>
      s
        .open()
        .list(['a'])
        .install(['a'], { policy: { kind: 'pinned' } })
        .list(['a:2'])
        .wait(1000),
    said: ['converged/registry_equal', 'stale/definition_changed'],
    notes: ['pinned'],
  },
  {
    title: 'tools missing without a word',
    tell: (s) => s.open().list(AB).install(['a']).wait(1000),
    said: ['unverifiable/unaccounted_tools'],
  },
  {
    title: 'definitions nobody ever saw',
    tell: (s) => s.open().list(AB).install(['a', 'b:rewritten']).wait(1000),
    said: ['unverifiable/unknown_transform'],
  },
  {
    title: 'what the SDK itself had to drop from this walk',
    tell: (s) => {
      s.open().list(AB);
      const traversalId = s.observations.findLast((one) => one.kind === 'traversal')?.traversalId as string;
      s.tell({
        kind: 'delivered',
        source: 'wire',
        partial: false,
        traversalId,
        catalog: s.engine && catalogA(),
      }).install(['a']);
    },
    said: ['converged/registry_equal'],
  },
];

const RULE_5: readonly Case[] = [
  {
    title: 'a limit on tools',
    tell: (s) =>
      s
        .open()
        .list(AB)
        .install(['a'], { capped: ['b'] }),
    said: ['incomplete/tools_capped'],
  },
  {
    title: 'a schema refused',
    tell: (s) =>
      s
        .open()
        .list(AB)
        .install(['a'], { rejected: ['b'] }),
    said: ['incomplete/tools_rejected'],
  },
  {
    title: 'a tool hidden by another server',
    tell: (s) =>
      s
        .open()
        .list(AB)
        .install(['a'], { shadowed: ['b'] }),
    said: ['incomplete/tools_shadowed'],
  },
];

const RULE_6: readonly Case[] = [
  {
    title: 'filtered',
    tell: (s) =>
      s
        .open()
        .list(AB)
        .install(['a'], { filtered: ['b'] }),
    said: ['converged/registry_equal'],
    notes: ['filtered'],
  },
  {
    title: 'filtered to nothing',
    tell: (s) => s.open().list(AB).install([], { filtered: AB }),
    said: ['converged/registry_equal'],
    notes: ['filtered'],
  },
  {
    title: 'withheld and renamed',
    tell: (s) =>
      s
        .open()
        .list(AB)
        .install(['a'], { withheld: ['b'], renamed: 1 }),
    said: ['converged/registry_equal'],
    notes: ['withheld', 'renamed'],
  },
  {
    title: 'declared, and no channel',
    tell: (s) => s.open({ channel: 'none' }).list(AB).install(AB),
    said: ['unverifiable/no_signal_channel'],
  },
  {
    title: 'a channel that opened after the list',
    tell: (s) =>
      s
        .open({ channel: 'none' })
        .list(AB)
        .install(AB)
        .tell({ kind: 'coverage', state: 'opened', channel: 'get_stream' }),
    said: ['unverifiable/no_signal_channel', 'unverifiable/signal_coverage_lost'],
  },
  {
    title: 'a channel lost, reopened, and a new list',
    tell: (s) =>
      s
        .open()
        .list(AB)
        .install(AB)
        .tell({ kind: 'coverage', state: 'closed', channel: 'pipe' })
        .tell({ kind: 'coverage', state: 'opened', channel: 'pipe' })
        .list(AB),
    said: ['converged/registry_equal', 'unverifiable/signal_coverage_lost', 'converged/registry_equal'],
  },
  {
    title: 'a refresh on reconnect',
    tell: (s) =>
      s
        .open({ listChanged: false })
        .list(AB)
        .install(AB, { policy: { kind: 'on_reconnect' } }),
    said: ['converged/registry_equal'],
    notes: ['bounded_refresh'],
  },
  {
    title: 'an interval that is kept and then is not',
    tell: (s) =>
      s
        .open({ listChanged: false })
        .list(AB)
        .install(AB, { policy: { kind: 'interval', seconds: 2 } })
        .wait(2999)
        .wait(1),
    said: ['converged/registry_equal', 'unverifiable/refresh_overdue'],
  },
  {
    title: 'a list before each run, and one run without',
    tell: (s) => {
      const policy = { policy: { kind: 'before_run' } } as const;
      s.open({ listChanged: false }).list(AB).install(AB, policy).list(AB).install(AB, policy).install(AB, policy);
    },
    said: ['converged/registry_equal', 'unverifiable/refresh_overdue'],
  },
  {
    title: 'within its lifetime, and after it',
    tell: (s) => s.open({ listChanged: false }).list(AB, { ttlMs: 3000 }).install(AB).wait(3000),
    said: ['converged/registry_equal', 'unverifiable/signal_not_advertised'],
  },
  {
    title: 'within its lifetime, as a note',
    tell: (s) => s.open({ listChanged: false }).list(AB, { ttlMs: 3000 }).install(AB),
    said: ['converged/registry_equal'],
    notes: ['cached_as_of'],
  },
  {
    title: 'signals that nobody declared',
    tell: (s) => s.open({ listChanged: false }).list(AB).install(AB).signal({ advertised: false }).wait(1000).list(AB),
    said: ['unverifiable/signal_not_advertised', 'stale/signal_unanswered', 'unverifiable/signal_not_advertised'],
    notes: ['unadvertised_signal'],
  },
];

const ENDS: readonly Case[] = [
  {
    title: 'a signal still within grace',
    tell: (s) => s.open().list(AB).install(AB).signal().close(),
    said: ['converged/registry_equal', 'unverifiable/ended_within_grace'],
  },
  {
    title: 'the last word of the host, within grace',
    tell: (s) => s.open().list(['a']).list(['a:2']).install(['a']).close(),
    said: ['stale/definition_changed'],
  },
  {
    title: 'a list that the host had no time to register',
    tell: (s) => s.open().list(['a']).install(['a']).list(['a:2']).close(),
    said: ['converged/registry_equal', 'unverifiable/ended_within_grace'],
  },
  { title: 'a connection nobody did anything with', tell: (s) => s.open().close(), said: [] },
  { title: 'a call without any list', tell: (s) => s.open().call('a').end(), said: ['unverifiable/installed_unknown'] },
  { title: 'the end of everything', tell: (s) => s.open().list(AB).end(), said: ['unverifiable/installed_unknown'] },
];

function catalogA() {
  const story = new Story();
  story.install(['a']);
  return (story.observations[0] as Extract<(typeof story.observations)[number], { kind: 'installed' }>).catalog;
}

for (const [heading, cases] of Object.entries({
  'the six observations of the article': GERMAN_ARTICLE,
  '1. evidence that is missing': RULE_1,
  '2. no complete list in this epoch': RULE_2,
  '3. no snapshot': RULE_3,
  '4. a registry that is older': RULE_4,
  '5. a remainder': RULE_5,
  '6. freshness': RULE_6,
  'the end': ENDS,
})) {
  describe(heading, () => {
    for (const { title, limits, tell, said, notes } of cases) {
      it(`${title}: ${said.length === 0 ? 'says nothing' : said.join(', ')}`, () => {
        const story = new Story(limits);
        tell(story);
        assert.deepEqual(story.said, said);
        if (notes) assert.deepEqual(story.verdicts.at(-1)?.notes, notes);
      });
    }
  });
}

describe('a verdict', () => {
  it('names digests, revisions, differences, epoch, lag and what was judged', () => {
    const story = new Story();
    story
      .open()
      .list(['a', 'b'], { catalog: { revision: 1 } })
      .install(['a', 'b'])
      .signal()
      .wait(200);
    story.list(['a:2', 'c'], { catalog: { revision: 2 } }).wait(1000);
    const verdict = story.verdicts.at(-1);
    assert.partialDeepStrictEqual(verdict, {
      verdict: 'stale',
      layer: 'installed',
      evidence: 'reported',
      recipe: 'tools/1',
      discoveredRevision: 2,
      installedRevision: 1,
      difference: { added: ['c'], removed: ['b'], changed: ['a'] },
      signalLagS: 1.2,
      previous: 'converged',
      serverName: 'srv',
      protocolVersion: '2025-11-25',
      epoch: { id: 'e1', source: 'process' },
    });
    assert.equal(verdict?.judged.length, 3);
  });

  it('on a registry that nobody reported is about what was discovered', () => {
    const story = new Story();
    story.open().list(['a']).end();
    assert.partialDeepStrictEqual(story.verdicts[0], { layer: 'discovered', evidence: 'none' });
  });

  it('is given for each layer that is reported', () => {
    const story = new Story();
    story.open().list(['a', 'b']).install(['a', 'b']).install(['a'], { layer: 'used' }).wait(1000);
    assert.deepEqual(
      story.verdicts.map(({ layer, reason }) => `${layer} ${reason}`),
      ['installed registry_equal', 'used unaccounted_tools'],
    );
  });
});

describe('a client that connects again', () => {
  it('still has what it registered on the connection before, bound to nothing', () => {
    const first = new Story();
    first.open().list(['a']).install(['a']).close();
    const second = new Story({}, first.engine, 'c2');
    second.epoch = 'e2';
    second.open({ previous: 'c1' }).list(['a']).wait(1000);
    assert.deepEqual(second.said, ['stale/epoch_changed']);
    second.install(['a']);
    assert.deepEqual(second.said, ['stale/epoch_changed', 'converged/registry_equal']);
  });
});

describe('a call', () => {
  it('on a registry known to be stale is named with the reason', () => {
    const story = new Story();
    story.open().list(['a']).install(['a']).call('a').signal().wait(1000).call('a');
    assert.deepEqual(
      story.staleCalls.map(({ tool, reason }) => ({ tool, reason })),
      [{ tool: 'a', reason: 'signal_unanswered' }],
    );
  });

  it('with a definition known to be older is named before grace is over', () => {
    const story = new Story();
    story.open().list(['a', 'b']).install(['a', 'b']).list(['a:2', 'b']).call('b').call('a');
    assert.deepEqual(
      story.staleCalls.map(({ tool, reason }) => ({ tool, reason })),
      [{ tool: 'a', reason: 'definition_changed' }],
    );
  });
});
