// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Puts into words what was decided of one view: the verdict with its evidence, and what makes two verdicts the same. Pure. */

import { definitionOf } from '../../semconv/diff.ts';
import { REASONS } from '../../semconv/names.ts';
import type { Call, Catalog } from '../../semconv/observation.ts';
import type { Reason, Verdict } from '../../semconv/verdict.ts';
import { differenceOf, NO_DIFFERENCE } from './compare.ts';
import { type ConnectionState, judgedSpans, type View } from './connection-state.ts';
import type { Judgement } from './judge.ts';

/** Known to be older than the newest catalog, although the grace period is not over. */
export function staleDefinition({ complete }: ConnectionState, view: View, call: Call): Reason | undefined {
  const { report, comparison } = view;
  if (!report || !complete || complete.sequence >= call.startSequence || comparison?.kind !== 'older') return undefined;
  const digestsIn = ({ entries = [] }: Catalog): string[] =>
    entries.filter(({ name }) => name === call.tool).map(definitionOf);
  const current = digestsIn(complete.catalog);
  const installed = digestsIn(report.catalog);
  if (installed.length === 0 || installed.some((digest) => current.includes(digest))) return undefined;
  return current.length === 0 ? 'tool_set_changed' : 'definition_changed';
}

export function describeVerdict(
  state: ConnectionState,
  view: View,
  { reason, notes, limit }: Extract<Judgement, { kind: 'decided' }>,
  nowMs: number,
): Verdict {
  const { complete, handshake, signal } = state;
  const { report } = view;
  const previous = view.last?.verdict ?? view.inheritedVerdict;
  const installedRevision = state.history.find(
    ({ digest }) => digest !== undefined && digest === report?.catalog.digest,
  )?.revision;
  const recipe = report?.catalog.recipe ?? complete?.catalog.recipe;
  return {
    verdict: REASONS[reason].verdict,
    reason,
    layer: report ? view.layer : 'discovered',
    connectionId: state.id,
    timeMs: nowMs,
    sequence: state.sequence,
    epoch: state.epoch,
    evidence: report ? 'reported' : 'none',
    difference: report && complete ? differenceOf(report, complete.catalog) : NO_DIFFERENCE,
    notes,
    judged: judgedSpans(state, view),
    ...(recipe !== undefined && { recipe }),
    ...(complete?.catalog.digest !== undefined && { discoveredDigest: complete.catalog.digest }),
    ...(complete?.catalog.revision !== undefined && { discoveredRevision: complete.catalog.revision }),
    ...(report?.catalog.digest !== undefined && { installedDigest: report.catalog.digest }),
    ...(installedRevision !== undefined && { installedRevision }),
    ...(report?.policy && { policy: report.policy }),
    ...(signal && { signalLagS: Math.max(0, Math.round((nowMs - signal.timeMs) * 1000) / 1_000_000) }),
    ...(limit !== undefined && { limit }),
    ...(previous !== undefined && { previous }),
    ...(handshake?.serverName !== undefined && { serverName: handshake.serverName }),
    ...(handshake?.protocolVersion !== undefined && { protocolVersion: handshake.protocolVersion }),
  };
}

/** With these the newest list is no snapshot to hold on to, and may be another one many times a second. */
const WITHOUT_SNAPSHOT: ReadonlySet<Reason> = new Set(['signal_storm', 'catalogs_alternate', 'pages_torn']);

/** Two verdicts with one key say the same; a converged one that answers another signal does not. */
export function keyOf(
  { complete, epoch, settled, signal }: ConnectionState,
  { report, layer }: View,
  { reason, notes }: Extract<Judgement, { kind: 'decided' }>,
): string {
  const answered = REASONS[reason].verdict === 'converged' && !settled ? (signal?.sequence ?? 0) : 0;
  const digests = WITHOUT_SNAPSHOT.has(reason) ? [] : [complete?.catalog.digest, report?.catalog.digest];
  return JSON.stringify([reason, report ? layer : 'discovered', digests, epoch.id, answered, notes]);
}
