// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** What a verdict carries beside its words, and what is said of calls. Which verdict it is, the cases tell (test/cases). */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Story } from './story.ts';

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
