// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Reads from what really happened, lost observations included, whether a converged verdict is right: a complete, untorn walk that
 * began after the last signal and while the next one could have been received, in the epoch of the verdict, equal to a registry
 * that was reported in it. Knows nothing of states and transitions.
 */

import type { Coverage, Handshake, Installed, Observation, Signal, Traversal } from '../../semconv/observation.ts';
import type { Verdict } from '../../semconv/verdict.ts';

/** `equalWalks`: so many walks in a row that gave one digest may stand in for the quiet point, each crossed by a signal. */
export function entitles(seen: readonly Observation[], { sequence }: Verdict, equalWalks?: number): boolean {
  const own = seen.filter((one) => one.sequence <= sequence);
  const epochStart = own.findLast((one, i) => i > 0 && one.epoch.id !== own[i - 1]?.epoch.id)?.sequence ?? 0;
  const signals = own.filter((one): one is Signal => one.kind === 'signal' && one.sequence > epochStart);
  const newest = signals.at(-1)?.sequence ?? 0;
  const report = own.findLast((one): one is Installed => one.kind === 'installed');
  if (!report || report.sequence < epochStart) return false;
  const walks = own.filter((one): one is Traversal => one.kind === 'traversal' && one.startSequence > epochStart);
  const crossed = (walk: Traversal) =>
    signals.some((signal) => signal.sequence >= walk.startSequence && signal.sequence < walk.sequence);
  const counts = (walk: Traversal) => isEqual(walk, report) && isCovered(walk, own, epochStart);
  const whole = walks.filter((walk) => walk.outcome === 'complete' && !(walk.pages > 1 && crossed(walk)));
  if (whole.some((walk) => walk.startSequence > newest && counts(walk))) return true;
  if (equalWalks === undefined) return false;
  // Settled: walks one after the other, each crossed by a signal, the last one ending after the newest signal.
  const noisy = walks.filter((w) => w.outcome === 'complete' || (w.outcome === 'torn' && w.tornBy === 'signal'));
  const last = noisy.findLast((walk) => walk.sequence > newest && counts(walk));
  return last !== undefined && lengthOfRun(noisy, last) >= equalWalks;
}

function isEqual({ catalog }: Traversal, report: Installed): boolean {
  const names = (list: Installed['catalog']) => list.entries?.map(({ name }) => name) ?? [];
  if (report.filtered.some((name) => names(report.catalog).includes(name))) return false;
  if (report.capped.some((name) => names(catalog).includes(name))) return false;
  const expected = catalog.entries?.filter(({ name }) => !report.filtered.includes(name));
  return JSON.stringify(expected) === JSON.stringify(report.catalog.entries);
}

/** The server signals, and from before the walk until now a channel was open. The stream of a session ends with the session. */
function isCovered(walk: Traversal, own: readonly Observation[], epochStart: number): boolean {
  const handshake = own.findLast((one): one is Handshake => one.kind === 'handshake');
  const changes = own.filter((one): one is Coverage => one.kind === 'coverage');
  const newest = new Map(changes.map((change) => [change.channel, change]));
  const open = [...newest.values()].filter(({ channel, state, sequence }) => {
    return state === 'opened' && sequence < walk.startSequence && (channel === 'pipe' || sequence > epochStart);
  });
  return handshake?.listChanged === true && open.length > 0;
}

function lengthOfRun(walks: readonly Traversal[], { catalog }: Traversal): number {
  let count = 0;
  let end = 0;
  for (const walk of walks) {
    if (walk.catalog.digest !== catalog.digest || walk.startSequence <= end) continue;
    count += 1;
    end = walk.sequence;
  }
  return count;
}
