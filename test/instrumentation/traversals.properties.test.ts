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
  type OpenTraversal,
  TraversalTracker,
} from '../../instrumentation/traversals.ts';
import { VALUES } from '../../semconv/names.ts';
import { runs } from '../support/fixed-runs.ts';

const cursor = fc.constantFrom('', 'a', 'b', 'c', '8');
const which = fc.nat({ max: 40 });
const steps = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constant('request' as const),
      cursor: fc.option(cursor, { nil: undefined }),
      call: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
    }),
    fc.record({
      do: fc.constant('page' as const),
      which,
      tools: fc.array(fc.oneof(fc.record({ name: fc.constantFrom('t', 'u', 'v') }), fc.jsonValue()), { maxLength: 4 }),
      next: fc.oneof(fc.constant(undefined), cursor, cursor, fc.jsonValue()),
      ttlMs: fc.option(fc.nat(), { nil: undefined }),
    }),
    fc.record({ do: fc.constant('fail' as const), which }),
    fc.record({
      do: fc.constant('end' as const),
      which,
      outcome: fc.constantFrom('abandoned' as const, 'complete' as const),
    }),
    fc.record({
      do: fc.constant('return' as const),
      call: fc.nat({ max: 3 }),
      error: fc.constantFrom(undefined, 'LIST_PAGINATION_EXCEEDED', 'x'),
    }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.nat({ max: 9000 }) }),
    fc.record({ do: fc.constantFrom('signal' as const, 'epoch' as const) }),
  ),
  { maxLength: 80, size: 'max' },
);

describe('every sequence of frames', () => {
  it('closes each walk exactly once, with an outcome of the list', () => {
    fc.assert(
      fc.property(steps, fc.boolean(), (list, strict) => {
        const tracker = new TraversalTracker(strict);
        const calls: ListCall[] = Array.from({ length: 4 }, () => ({ requests: 0 }));
        const begun: OpenTraversal[] = [];
        const ended = new Map<OpenTraversal, string>();
        const keep = (one: Ended | undefined) => {
          if (!one) return;
          assert.ok(!ended.has(one.traversal), 'ended twice');
          assert.ok(VALUES['mcp_convergence.traversal.outcome'].includes(one.outcome));
          ended.set(one.traversal, one.outcome);
        };
        let nowMs = 0;
        for (const step of list) {
          const target = 'which' in step ? begun[step.which % Math.max(1, begun.length)] : undefined;
          if (step.do === 'request') {
            const call = step.call === undefined ? undefined : calls[step.call];
            const start = { startSequence: 1, nowMs, trigger: 'app' } as const;
            const { traversal, isNew, evicted } = tracker.request(step.cursor, call, start);
            if (isNew) begun.push(traversal);
            keep(evicted);
          } else if (step.do === 'page' && target) {
            keep(tracker.page(target, { tools: step.tools, nextCursor: step.next, ttlMs: step.ttlMs }, nowMs));
          } else if (step.do === 'fail' && target) keep(tracker.fail(target, 'x'));
          else if (step.do === 'end' && target && tracker.open().includes(target))
            keep(tracker.end(target, step.outcome));
          else if (step.do === 'return') keep(tracker.callReturned(calls[step.call] as ListCall, step.error));
          else if (step.do === 'wait') {
            nowMs += step.ms;
            for (const one of tracker.expire(nowMs, 5000)) keep(one);
          } else if (step.do === 'signal') tracker.signal();
          else if (step.do === 'epoch') tracker.epochChanged();
          assert.ok(tracker.size <= MAX_OPEN);
          assert.equal(tracker.size, begun.length - ended.size);
        }
        for (const one of tracker.open()) keep(tracker.end(one, 'abandoned'));
        assert.equal(tracker.size, 0);
        assert.equal(ended.size, begun.length);
        assert.equal(tracker.nextExpiry(5000), undefined);
      }),
      runs(2000),
    );
  });

  it('gives up what waits for no reply, so that no walk stays open for ever', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const tracker = new TraversalTracker(true);
        const open: OpenTraversal[] = [];
        for (const step of list) {
          if (step.do === 'request')
            open.push(
              tracker.request(step.cursor, undefined, { startSequence: 1, nowMs: 0, trigger: 'app' }).traversal,
            );
          if (step.do === 'page') {
            const target = open.pop();
            if (target) tracker.page(target, { tools: step.tools, nextCursor: step.next }, 0);
          }
        }
        for (const target of open) tracker.fail(target, 'closed');
        tracker.expire(5000, 5000);
        assert.deepEqual(
          tracker.open().filter((each) => each.outstanding <= 0),
          [],
        );
      }),
      runs(500),
    );
  });
});
