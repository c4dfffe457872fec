// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** What connections share, and what all of them together keep. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CatalogPool } from '../../processor/core/catalog-pool.ts';
import { createEngine } from '../../processor/core/index.ts';
import type { Installed } from '../../semconv/observation.ts';
import { catalogOf, Story } from './story.ts';

function report(tools: readonly string[], more = {}): Installed {
  const story = new Story();
  return {
    ...(story.make({
      kind: 'installed',
      layer: 'installed',
      filtered: [],
      withheld: [],
      capped: [],
      rejected: [],
      shadowed: [],
      renamed: 0,
      catalog: catalogOf(tools, more),
    }) as Installed),
  };
}

describe('a pool of catalogs', () => {
  it('gives equal catalogs the same entries, and counts them once', () => {
    const pool = new CatalogPool();
    const first = pool.share(report(['a', 'b'])) as Installed;
    const { characters } = pool;
    const second = pool.share(report(['a', 'b'])) as Installed;
    assert.equal(second.catalog.entries, first.catalog.entries);
    assert.equal(pool.characters, characters);
    assert.ok(characters > 0);
  });

  it('believes no digest: other entries under the same one are others', () => {
    const pool = new CatalogPool();
    const first = pool.share(report(['a'])) as Installed;
    const lie = pool.share(report(['b'], { digest: first.catalog.digest })) as Installed;
    assert.deepEqual(
      lie.catalog.entries?.map(({ name }) => name),
      ['b'],
    );
    assert.deepEqual(
      (pool.share(report(['a'])) as Installed).catalog.entries?.map(({ name }) => name),
      ['a'],
    );
  });

  it('leaves observations without a catalog, or without names, as they are', () => {
    const pool = new CatalogPool();
    const signal = new Story().make({ kind: 'signal', malformed: false, early: false });
    assert.equal(pool.share(signal), signal);
    const large = report(['a'], { entries: undefined });
    assert.equal(pool.share(large), large);
    assert.equal(pool.characters, 0);
  });

  it('counts anew only what is kept', () => {
    const pool = new CatalogPool();
    const kept = pool.share(report(['a'])) as Installed;
    const before = pool.characters;
    pool.share(report(['b', 'c', 'd']));
    pool.restart();
    pool.keep([kept.catalog, kept.catalog]);
    assert.equal(pool.characters, before);
  });
});

describe('an engine', () => {
  it('drops the eldest connections, and keeps the newest', () => {
    const engine = createEngine({ graceMs: 1000, catalogCharacters: 20_000 });
    const stories = Array.from({ length: 30 }, (_, i) => {
      const tools = Array.from({ length: 10 }, (__, j) => `tool_${i}_${j}`);
      return new Story({}, engine, `c${i}`).open().list(tools).install(tools);
    });
    const evicted = stories.flatMap((story) => story.verdicts).filter(({ reason }) => reason === 'evicted');
    assert.ok(evicted.length > 5 && evicted.length < 25, String(evicted.length));
    const eldest = stories.slice(0, evicted.length);
    assert.deepEqual(
      eldest.map((story) => story.connectionId),
      evicted.map(({ connectionId }) => connectionId).toSorted((x, y) => Number(x.slice(1)) - Number(y.slice(1))),
    );
    assert.ok(evicted.every(({ limit, verdict }) => limit === 'catalogCharacters' && verdict === 'unverifiable'));
    assert.equal(engine.counters().dropped.catalogCharacters, evicted.length);
    const last = stories.at(-1)?.signal().wait(1000);
    assert.equal(last?.said.at(-1), 'stale/signal_unanswered');
  });

  it('does not grow with catalogs that come and go on one connection', () => {
    const story = new Story({ catalogCharacters: 3_000_000 }).open();
    const tools = Array.from({ length: 100 }, (_, i) => `tool_${i}`);
    for (let i = 0; i < 500; i++)
      story.list(tools.map((name) => `${name}:${i}`)).install(tools.map((name) => `${name}:${i}`));
    assert.deepEqual(story.engine.counters().dropped, {});
    assert.equal(story.said.at(-1), 'converged/registry_equal');
  });
});
