// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** What a walk that ended changes in the state of its connection: whether it is a snapshot, and which signals it answers. Pure. */

import type { Catalog, Traversal } from '../../semconv/observation.ts';
import { withWalk } from './alternation.ts';
import { type ConnectionState, forgetSignals, move } from './connection-state.ts';
import type { Limits } from './limits.ts';
import { foldList } from './refusals.ts';

export function foldTraversal(state: ConnectionState, traversal: Traversal, limits: Limits): void {
  state.interestMs ??= traversal.timeMs;
  const crossed = crossedBySignal(state, traversal);
  const torn = isTorn(state, traversal, crossed);
  // A walk that was overtaken by a newer complete one tells nothing new, but a host may still install what it brought.
  if (state.complete && traversal.startSequence < state.complete.startSequence) {
    if (traversal.outcome === 'complete' && !torn) rememberEarlier(state, traversal.catalog, limits);
    return;
  }
  state.tried = traversal;
  const whole = traversal.outcome === 'complete' || traversal.outcome === 'torn';
  countRun(state, traversal, crossed && whole && (torn === undefined || torn === 'signal'));
  const afterGap = traversal.startSequence >= (state.gapSequence ?? 0);
  const clears = afterGap && traversal.startSequence > (state.signal?.sequence ?? 0);
  const settles = afterGap && state.run?.sequence === traversal.sequence && state.run.count >= limits.equalWalks;
  if (!whole || (torn && !settles)) {
    if (whole) state.tornSinceMs ??= traversal.timeMs;
    move(state, whole ? 'torn' : 'incomplete');
    return;
  }
  state.settled = !clears && settles;
  followUnsignalled(state, traversal);
  foldList(state.refusals, traversal);
  state.complete = traversal;
  state.tornSinceMs = undefined;
  remember(state, traversal.catalog, limits);
  if (clears || settles) forgetSignals(state);
  // What it overtook came after it was asked for; everything before that is answered.
  else state.oldestUnansweredMs = Math.max(state.oldestUnansweredMs ?? 0, traversal.startTimeMs);
  move(state, clears ? 'complete' : settles ? 'settled' : 'overtaken');
}

/** By what the pages are no snapshot of one catalog of this epoch, whatever the walk says of itself. */
function isTorn(state: ConnectionState, traversal: Traversal, crossed: boolean): Traversal['tornBy'] {
  if (traversal.outcome === 'torn') return traversal.tornBy ?? 'ambiguous';
  if (traversal.startSequence <= state.epochSequence) return 'epoch';
  return traversal.pages > 1 && crossed ? 'signal' : undefined;
}

/** A signal was received between the request of the first page and the last page. */
function crossedBySignal(state: ConnectionState, traversal: Traversal): boolean {
  const sequence = state.signal?.sequence ?? 0;
  return sequence >= traversal.startSequence && sequence < traversal.sequence;
}

/**
 * Only walks that a signal crossed say anything about signals: quiet ones before it were asked before it was sent. Each has
 * to start after the one before had ended, or all of them may be answers from before the same signal.
 */
function countRun(state: ConnectionState, traversal: Traversal, counts: boolean): void {
  const { digest } = traversal.catalog;
  const { run } = state;
  if (!counts || digest === undefined) state.run = undefined;
  else if (run?.digest !== digest) state.run = { digest, count: 1, sequence: traversal.sequence };
  else if (traversal.startSequence > run.sequence)
    state.run = { digest, count: run.count + 1, sequence: traversal.sequence };
}

/** A signal since the walk before explains any change. */
function followUnsignalled(state: ConnectionState, { catalog, sequence }: Traversal): void {
  const { complete, signal } = state;
  const explained = complete && signal && signal.sequence > complete.startSequence && signal.sequence < sequence;
  state.unsignalled = withWalk(explained ? [] : state.unsignalled, catalog.digest ?? '');
}

function remember(state: ConnectionState, catalog: Catalog, limits: Limits): void {
  state.history = state.history.filter(({ digest }) => digest !== catalog.digest);
  state.history.push(catalog);
  forget(state, limits);
}

/** Behind the newest, which stays the last to be forgotten. */
function rememberEarlier(state: ConnectionState, catalog: Catalog, limits: Limits): void {
  if (state.history.some(({ digest }) => digest === catalog.digest)) return;
  state.history.splice(-1, 0, catalog);
  forget(state, limits);
}

/** The oldest first, but never one that is installed: without it the registry would look like nothing ever discovered. */
function forget(state: ConnectionState, limits: Limits): void {
  if (state.history.length <= limits.history) return;
  const installed = new Set([...state.views.values()].map(({ report }) => report?.catalog.digest));
  const oldest = state.history.findIndex(({ digest }) => digest === undefined || !installed.has(digest));
  state.history.splice(Math.max(0, oldest), 1);
}
