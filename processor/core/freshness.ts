// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Whether a complete catalog is known to be the newest still, and until when that holds. Pure. */

import type { RefreshPolicy, Traversal } from '../../semconv/observation.ts';
import type { Note } from '../../semconv/verdict.ts';
import type { View } from './connection-state.ts';
import type { Question } from './judge.ts';
import type { Limits } from './limits.ts';

type Freshness = { readonly notes: readonly Note[]; readonly untilMs?: number };

/** Why a complete and equal registry is known to be the newest: silence that means something, a kept policy, or a lifetime. */
export function freshnessOf({ state, view, limits, nowMs }: Question): Freshness | undefined {
  const { complete, handshake } = state;
  if (!complete) return undefined;
  // A modern server signals on listen streams only, a legacy one on everything else.
  const covered = [...state.channels].some(
    ([channel, opened]) => (channel === 'listen') === (handshake?.era === 'modern') && opened < complete.startSequence,
  );
  if (handshake?.listChanged && covered) return { notes: [] };
  const policy = view.report?.policy;
  const kept = policy && view.report ? keptUntil(policy, complete, view, nowMs, limits) : undefined;
  if (kept !== undefined) return { notes: ['bounded_refresh'], ...(Number.isFinite(kept) && { untilMs: kept }) };
  // The first page began to age before the last one came.
  const expiresMs = complete.startTimeMs + (complete.ttlMs ?? 0);
  if (nowMs >= expiresMs) return undefined;
  return {
    notes: complete.cacheScope === 'public' ? ['cached_as_of', 'shared_cache'] : ['cached_as_of'],
    untilMs: expiresMs,
  };
}

/** Until when the policy counts as kept; undefined when it is not, or promises nothing. */
function keptUntil(
  policy: RefreshPolicy,
  complete: Traversal,
  view: View,
  nowMs: number,
  limits: Limits,
): number | undefined {
  switch (policy.kind) {
    case 'on_reconnect':
      return Number.POSITIVE_INFINITY;
    case 'before_run':
      // Each report begins a run, so a walk is due between any two of them.
      return complete.startSequence > (view.previousReportSequence ?? 0) ? Number.POSITIVE_INFINITY : undefined;
    case 'interval': {
      // The next walk begins when the interval is over, and takes its time.
      const dueMs = complete.startTimeMs + policy.seconds * 1000 + limits.graceMs;
      return nowMs < dueMs ? dueMs : undefined;
    }
    case 'pinned':
      return undefined;
  }
}
