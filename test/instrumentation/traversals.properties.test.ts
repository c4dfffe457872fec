// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Whatever is asked for and answered, in whatever order: every walk that began ends once, and never more than some are open. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type Ended,
  type ListCall,
  MAX_OPEN,
  MAX_PAGES,
  type OpenTraversal,
  TraversalTracker,
} from '../../instrumentation/traversals.ts';
import { MAX_TOOLS } from '../../semconv/limits.ts';
import { VALUES } from '../../semconv/names.ts';
import { runs } from '../support/fixed-runs.ts';

const TIMEOUT_MS = 5000;
const START = { startSequence: 1, nowMs: 0, trigger: 'app' } as const;

const cursor = fc.constantFrom('', 'a', 'b', 'c', '8');
/** Which of the walks that began, ended ones included: 0 is the newest. */
const of = fc.oneof(fc.constantFrom(0, 0, 1), fc.nat({ max: 40 }));
const call = fc.nat({ max: 3 });
const tools = fc.array(fc.oneof(fc.record({ name: fc.constantFrom('t', 'u', 'v') }), fc.jsonValue()), { maxLength: 3 });
const next = fc.oneof(cursor, cursor, fc.jsonValue());

type Step =
  | { readonly do: 'request'; readonly cursor?: string; readonly call?: number; readonly times?: number }
  | { readonly do: 'page'; readonly of: number; readonly tools?: readonly unknown[]; readonly next?: unknown }
  | { readonly do: 'fail'; readonly of: number }
  | { readonly do: 'return'; readonly call: number; readonly error?: string }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'signal' | 'epoch' | 'close' };

function sort(weight: number, name: Step['do'], required: object = {}, optional: object = {}) {
  const model = { do: fc.constant(name), ...required, ...optional };
  const requiredKeys = ['do', ...Object.keys(required)];
  return {
    weight,
    arbitrary: fc.record(model, { requiredKeys, noNullPrototype: true } as never) as fc.Arbitrary<Step>,
  };
}

const steps = fc.array(
  fc.oneof(
    sort(4, 'request', {}, { cursor, call }),
    sort(1, 'request', { times: fc.integer({ min: 2, max: MAX_OPEN + 1 }) }),
    sort(6, 'page', { of }, { tools, next }),
    sort(1, 'fail', { of }),
    sort(1, 'return', { call }, { error: fc.constantFrom('LIST_PAGINATION_EXCEEDED', 'x') }),
    sort(1, 'wait', { ms: fc.nat({ max: 2 * TIMEOUT_MS }) }),
    sort(1, 'signal'),
    sort(1, 'epoch'),
    sort(1, 'close'),
  ),
  { maxLength: 60, size: 'max' },
);

/** What happened to one walk, as its frames tell it. */
interface Seen {
  readonly byCursor: boolean;
  waiting: number;
  touchedMs: number;
  last: unknown;
  readonly pages: (readonly unknown[])[];
  /** A signal since the first request, or another epoch since the first page. */
  signalled: boolean;
  renewed: boolean;
}

/** Whether a name is on more than one page; twice on one page is the server's own affair. */
function overlaps(pages: readonly (readonly unknown[])[]): boolean {
  const names = pages.flatMap((page) => [...new Set(page.map((tool) => Object(tool).name))]);
  const texts = names.filter((name) => typeof name === 'string');
  return new Set(texts).size < texts.length;
}

/** Drives a tracker and keeps its own books on every walk. */
class Driver {
  readonly tracker: TraversalTracker;
  readonly strict: boolean;
  readonly calls: ListCall[] = Array.from({ length: 4 }, () => ({ requests: 0 }));
  readonly begun = new Map<OpenTraversal, Seen>();
  readonly ended = new Set<OpenTraversal>();
  nowMs = 0;

  constructor(strict: boolean) {
    this.strict = strict;
    this.tracker = new TraversalTracker(strict);
  }

  open(): [OpenTraversal, Seen][] {
    return [...this.begun].filter(([walk]) => !this.ended.has(walk));
  }

  #walk(index: number): OpenTraversal | undefined {
    return [...this.begun.keys()].at(-1 - (index % Math.max(1, this.begun.size)));
  }

  keep(one: Ended | undefined): void {
    if (!one) return;
    const { traversal, outcome } = one;
    assert.ok(this.begun.has(traversal) && !this.ended.has(traversal), 'ends once, after it began');
    this.ended.add(traversal);
    assert.ok(VALUES['mcp_convergence.traversal.outcome'].includes(outcome));
    if (outcome === 'complete') this.#assertWhole(this.begun.get(traversal) as Seen);
  }

  #assertWhole({ byCursor, last, pages, signalled, renewed }: Seen): void {
    assert.ok(last === undefined || (last === null && !this.strict), 'ends without a further cursor');
    assert.ok(!byCursor && !renewed && !(signalled && pages.length > 1), 'one snapshot from the first page on');
    assert.ok(!overlaps(pages), 'no tool on two pages');
  }

  request(step: Extract<Step, { do: 'request' }>): void {
    const shared = step.call === undefined ? undefined : this.calls[step.call];
    const { traversal, isNew, evicted } = this.tracker.request(step.cursor, shared, { ...START, nowMs: this.nowMs });
    assert.equal(isNew, !this.begun.has(traversal));
    const byCursor = step.cursor !== undefined;
    const begun = {
      byCursor,
      waiting: 0,
      touchedMs: 0,
      last: undefined,
      pages: [],
      signalled: false,
      renewed: false,
    };
    const seen: Seen = this.begun.get(traversal) ?? begun;
    this.begun.set(traversal, seen);
    seen.waiting += 1;
    seen.touchedMs = this.nowMs;
    this.keep(evicted);
  }

  page({ of: index, tools: page = [], next: nextCursor }: Extract<Step, { do: 'page' }>): void {
    const walk = this.#walk(index);
    const seen = walk && this.begun.get(walk);
    if (!seen) return;
    seen.waiting -= 1;
    seen.touchedMs = this.nowMs;
    seen.last = nextCursor;
    seen.pages.push(page);
    this.keep(this.tracker.page(walk, { tools: page, nextCursor }, this.nowMs));
  }

  take(step: Step): void {
    switch (step.do) {
      case 'request':
        for (let i = 0; i < (step.times ?? 1); i++) this.request(step);
        return;
      case 'page':
        this.page(step);
        return;
      case 'fail': {
        const walk = this.#walk(step.of);
        if (walk) this.keep(this.tracker.fail(walk, 'x'));
        return;
      }
      case 'return':
        this.keep(this.tracker.callReturned(this.calls[step.call] as ListCall, step.error));
        return;
      case 'wait':
        this.nowMs += step.ms;
        for (const one of this.tracker.expire(this.nowMs, TIMEOUT_MS)) this.keep(one);
        for (const [, { waiting, touchedMs }] of this.open())
          assert.ok(waiting > 0 || this.nowMs - touchedMs < TIMEOUT_MS, 'what waits for no reply is given up');
        return;
      case 'signal':
        this.tracker.signal();
        for (const [, seen] of this.open()) seen.signalled = true;
        return;
      case 'epoch':
        this.tracker.epochChanged();
        for (const [, seen] of this.open()) seen.renewed ||= seen.pages.length > 0;
        return;
      case 'close':
        for (const walk of this.tracker.open()) this.keep(this.tracker.end(walk, 'abandoned'));
    }
  }
}

describe('every sequence of frames', () => {
  it('closes each walk exactly once, and says complete of none that is no snapshot', () => {
    fc.assert(
      fc.property(steps, fc.boolean(), (list, strict) => {
        const driver = new Driver(strict);
        for (const step of [...list, { do: 'close' } as const]) {
          driver.take(step);
          assert.ok(driver.tracker.size <= MAX_OPEN, 'open walks are bounded');
          assert.deepEqual(new Set(driver.tracker.open()), new Set(driver.open().map(([walk]) => walk)));
        }
        assert.equal(driver.ended.size, driver.begun.size);
        assert.equal(driver.tracker.nextExpiry(TIMEOUT_MS), undefined);
      }),
      runs(1000),
    );
  });

  it('holds no more of a walk than its bounds, and says so', () => {
    const around = (bound: number) => fc.constantFrom(1, bound - 1, bound, bound + 1, bound + 2);
    fc.assert(
      fc.property(around(MAX_PAGES), fc.constantFrom(0, 9, 10, 11), fc.boolean(), (count, perPage, loops) => {
        const tracker = new TraversalTracker(true);
        const { traversal } = tracker.request(undefined, undefined, START);
        const page = Array.from({ length: perPage }, () => ({}));
        for (let i = 0; i < count; i++) tracker.page(traversal, { tools: page, nextCursor: loops ? 'a' : `${i}` }, 0);
        assert.ok(traversal.cursors.length <= MAX_PAGES && traversal.tools.length <= MAX_TOOLS);
        const beyond = count * perPage > MAX_TOOLS || (count > MAX_PAGES && !loops);
        const expected = loops && count > 1 ? 'looped' : beyond ? 'capped' : 'abandoned';
        assert.equal(tracker.end(traversal, 'abandoned').outcome, expected);
      }),
      runs(100),
    );
  });

  it('a walk that ends after a cursor came back is no snapshot when a tool is on two of its pages', () => {
    const tracker = new TraversalTracker(false);
    const { traversal } = tracker.request(undefined, undefined, START);
    const page = { tools: [{ name: 't' }], nextCursor: '' };
    tracker.page(traversal, { ...page, tools: [] }, 0);
    tracker.page(traversal, page, 0);
    assert.notEqual(tracker.page(traversal, { ...page, nextCursor: undefined }, 0)?.outcome, 'complete');
  });
});
