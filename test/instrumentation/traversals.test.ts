// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  type Ended,
  type ListCall,
  MAX_OPEN,
  type OpenTraversal,
  TraversalTracker,
} from '../../instrumentation/traversals.ts';
import { MAX_TOOLS } from '../../semconv/limits.ts';

interface Step {
  request?: string | null;
  page?: string[];
  next?: unknown;
  ttl?: number;
  fail?: string;
  signal?: true;
  epoch?: true;
  wait?: number;
  call?: number;
  returned?: number;
  error?: string;
  as?: string;
  of?: string;
}

interface Case {
  name: string;
  strict?: boolean;
  steps: Step[];
  ended: (Partial<Record<'outcome' | 'tornBy' | 'errorType', string>> & {
    pages?: number;
    names?: string[];
    cursors?: string[];
    ttlMs?: number;
  })[];
}

const TIMEOUT_MS = 5000;
const cases: Case[] = JSON.parse(readFileSync(new URL('./traversal-cases.json', import.meta.url), 'utf8'));

function play({ steps, strict = true }: Case): Ended[] {
  const tracker = new TraversalTracker(strict);
  const ended: Ended[] = [];
  const walks = new Map<string, OpenTraversal>();
  const calls = new Map<number, ListCall>();
  const callOf = (id: number): ListCall => calls.get(id) ?? calls.set(id, { requests: 0 }).get(id)!;
  const keep = (one: Ended | undefined) => {
    if (one) ended.push(one);
  };
  let nowMs = 1000;
  let sequence = 1;
  for (const step of steps) {
    const walk = walks.get(step.of ?? '')!;
    if ('request' in step) {
      const start = { startSequence: sequence++, nowMs, trigger: 'app' } as const;
      const call = step.call === undefined ? undefined : callOf(step.call);
      walks.set(step.as ?? '', tracker.request(step.request ?? undefined, call, start).traversal);
    }
    if (step.page) {
      const tools = step.page.map((name) => ({ name }));
      keep(tracker.page(walk, { tools, nextCursor: step.next, ttlMs: step.ttl }, nowMs));
    }
    if (step.fail) keep(tracker.fail(walk, step.fail));
    if (step.signal) tracker.signal();
    if (step.epoch) tracker.epochChanged();
    if (step.returned) keep(tracker.callReturned(callOf(step.returned), step.error));
    if (step.wait) {
      nowMs += step.wait;
      ended.push(...tracker.expire(nowMs, TIMEOUT_MS));
    }
  }
  return ended;
}

describe('a traversal', () => {
  for (const one of cases) {
    it(one.name, () => {
      const seen = play(one).map(({ traversal, outcome, errorType }) => ({
        outcome,
        tornBy: outcome === 'torn' ? traversal.torn : undefined,
        errorType,
        pages: traversal.pages,
        names: traversal.tools.map((tool) => (tool as { name: string }).name),
        cursors: traversal.cursors,
        ttlMs: traversal.ttlMs,
      }));
      assert.equal(seen.length, one.ended.length);
      one.ended.forEach((expected, index) => {
        assert.partialDeepStrictEqual(seen[index], expected);
      });
    });
  }
});

describe('the bounds of traversals', () => {
  const start = { startSequence: 1, nowMs: 0, trigger: 'app' } as const;

  it('end the oldest walk as capped when too many are open', () => {
    const tracker = new TraversalTracker(true);
    const first = tracker.request(undefined, undefined, start).traversal;
    for (let i = 1; i < MAX_OPEN; i++) tracker.request(undefined, undefined, start);
    const { evicted } = tracker.request(undefined, undefined, start);
    assert.equal(evicted?.traversal, first);
    assert.equal(evicted?.outcome, 'capped');
    assert.equal(tracker.size, MAX_OPEN);
  });

  it('stop collecting definitions and say so', () => {
    const tracker = new TraversalTracker(true);
    const { traversal } = tracker.request(undefined, undefined, start);
    const tools = Array.from({ length: MAX_TOOLS + 1 }, (_, i) => ({ name: `t${i}` }));
    const ended = tracker.page(traversal, { tools, nextCursor: undefined }, 0);
    assert.equal(ended?.outcome, 'capped');
    assert.equal(traversal.tools.length, MAX_TOOLS);
  });
});
