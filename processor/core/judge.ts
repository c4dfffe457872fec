// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The order of decision over one view: a list of rules, first hit wins. Pure. A rule answers with a reason, with the time
 * until which it has to wait for the host, or not at all. What no rule above has against it is converged.
 */

import { REASONS } from '../../semconv/names.ts';
import type { Traversal } from '../../semconv/observation.ts';
import type { Note, Reason } from '../../semconv/verdict.ts';
import { alternates } from './alternation.ts';
import { comparisonLimit } from './compare.ts';
import type { ConnectionState, View } from './connection-state.ts';
import { freshnessOf } from './freshness.ts';
import type { Limits } from './limits.ts';
import { disagrees } from './refusals.ts';

export interface Question {
  readonly state: ConnectionState;
  readonly view: View;
  readonly limits: Limits;
  readonly nowMs: number;
  /** Nothing follows any more: what is still within grace has to be decided. */
  readonly final: boolean;
}

export type Judgement =
  | {
      readonly kind: 'decided';
      readonly reason: Reason;
      readonly notes: readonly Note[];
      readonly limit?: string;
      readonly untilMs?: number;
    }
  /** The host still has time to react, for ever while it is the host that ends the wait; the verdict before stands. */
  | { readonly kind: 'pending'; readonly untilMs: number };

type Pending = { readonly pendingUntilMs: number };
type Answer =
  | { readonly reason: Reason; readonly limit?: string; readonly untilMs?: number; readonly note?: Note }
  | Pending
  | undefined;
type Rule = (question: Question) => Answer;

/** Gives `reason` once `limits.graceMs` have passed since `sinceMs`; at the end, says that they never did. */
function afterGrace({ limits, nowMs, final }: Question, sinceMs: number, reason: Reason): Answer {
  if (nowMs >= sinceMs + limits.graceMs) return { reason };
  return final ? { reason: 'ended_within_grace' } : { pendingUntilMs: sinceMs + limits.graceMs };
}

/** The same for what a host may show late: only past the visibility boundary that it declared. */
function afterBoundary(question: Question, sinceMs: number, reason: Reason): Answer {
  const { state, view, nowMs, final } = question;
  const boundary = view.report?.visibility;
  const passedMs = boundary && state.boundaries.get(boundary);
  if (boundary === undefined || (passedMs !== undefined && passedMs > sinceMs && passedMs <= nowMs))
    return afterGrace(question, sinceMs, reason);
  if (final) return { reason: 'ended_within_grace', note: 'awaiting_boundary' };
  return { pendingUntilMs: Number.POSITIVE_INFINITY };
}

function isPending(answer: NonNullable<Answer>): answer is Pending {
  return 'pendingUntilMs' in answer;
}

/** Whether it is the grace period that is waited for, and no boundary that the host has still to pass. */
function isInGrace(answer: NonNullable<Answer>): boolean {
  if (isPending(answer)) return Number.isFinite(answer.pendingUntilMs);
  return answer.reason === 'ended_within_grace' && answer.note === undefined;
}

const TRIED: Readonly<Record<Traversal['outcome'], Reason>> = {
  abandoned: 'cursor_left',
  failed: 'page_failed',
  looped: 'cursor_loop',
  capped: 'page_cap',
  torn: 'pages_torn',
  complete: 'not_listed',
};

/** 1. Nothing is known of the registry, or what is known cannot be compared. */
const missingEvidence: Rule = (question) => {
  const { state, view } = question;
  const { report } = view;
  const reported = view.inherited ? 0 : (report?.sequence ?? 0);
  if (state.gapSequence !== undefined && (state.phase === 'lost' || reported < state.gapSequence)) {
    return { reason: 'observation_gap' };
  }
  if (!report) {
    const since = state.interestMs ?? state.timeMs;
    return question.final ? { reason: 'installed_unknown' } : afterGrace(question, since, 'installed_unknown');
  }
  const newest = state.complete ?? state.tried;
  if (newest && report.catalog.recipe !== newest.catalog.recipe) return { reason: 'recipe_differs' };
  if (!state.complete)
    return report.catalog.limit === undefined ? undefined : { reason: 'limit_reached', limit: report.catalog.limit };
  const limit = comparisonLimit(report, state.complete.catalog);
  return limit === undefined ? undefined : { reason: 'limit_reached', limit };
};

/** 1. Definitions that no catalog ever had: the host rewrote them in a way unknown to us, and that is never stale. */
const unknownTransform: Rule = (question) =>
  question.view.comparison?.kind === 'unknown' ? differs(question, 'unknown_transform') : undefined;

/** 2. No complete walk in this epoch. */
const nothingDiscovered: Rule = (question) => {
  const { state } = question;
  const firstPages = partlyInstalled(question);
  if (firstPages) return { reason: firstPages };
  if (state.phase === 'partial') return { reason: state.tried ? TRIED[state.tried.outcome] : 'not_listed' };
  if (state.phase !== 'unlisted') return undefined;
  const since = Math.max(state.epochSinceMs, state.interestMs ?? 0);
  return question.final ? { reason: 'not_listed' } : afterGrace(question, since, 'not_listed');
};

/** A later walk came to no end and the host installed what there was of it: a first page is no changed catalog. */
function partlyInstalled({ state: { tried, complete }, view }: Question): Reason | undefined {
  const { report, comparison } = view;
  if (!report || view.inherited || !tried || !complete || comparison?.kind === 'equal') return undefined;
  if (tried.outcome === 'complete' || tried.outcome === 'torn' || report.sequence < tried.sequence) return undefined;
  const { digest } = tried.catalog;
  return digest !== undefined && digest === report.catalog.digest ? TRIED[tried.outcome] : undefined;
}

/** 3. The pages are no snapshot, or signals leave no quiet point, or several builds answer. */
const noSnapshot: Rule = (question) => {
  const { state, limits } = question;
  if (state.phase === 'storm') return inStorm(question);
  if (alternates(state.unsignalled, limits)) return { reason: 'catalogs_alternate' };
  if (state.phase !== 'torn') return undefined;
  return question.final
    ? { reason: 'pages_torn' }
    : afterGrace(question, state.tornSinceMs ?? state.timeMs, 'pages_torn');
};

/** A burst may still be answered by one walk, and once the signals have stopped nothing hinders a refresh any more. */
function inStorm({ state, limits, nowMs, final }: Question): Answer {
  const beganMs = (state.unquietSinceMs ?? state.timeMs) + limits.graceMs;
  const quietMs = (state.signal?.timeMs ?? state.timeMs) + limits.graceMs;
  if (nowMs >= quietMs) return { reason: state.complete ? 'signal_unanswered' : 'pages_torn' };
  if (nowMs >= beganMs) return { reason: 'signal_storm', untilMs: quietMs };
  return final ? { reason: 'ended_within_grace' } : { pendingUntilMs: beganMs };
}

/** 4a. What is installed is bound to code that no longer answers. */
const deadBinding: Rule = (question) => {
  const { state, view } = question;
  const bound = !view.inherited && view.report?.epoch.id === state.epoch.id;
  if (!view.report || !state.complete || bound) return undefined;
  return afterGrace(question, view.boundElsewhereSinceMs ?? state.complete.timeMs, 'epoch_changed');
};

/** 4a. What is installed was obtained for somebody else, or before the connection acted for somebody else. */
const otherPrincipal: Rule = (question) => {
  const { principal, principalChange, complete } = question.state;
  const { report } = question.view;
  if (!report || principal === undefined) return undefined;
  const sinceMs = principalChange?.timeMs ?? 0;
  if (report.principal !== undefined && report.principal !== principal)
    return afterGrace(question, Math.max(report.timeMs, sinceMs), 'principal_changed');
  if (!principalChange || !complete || complete.startSequence > principalChange.sequence) return undefined;
  return afterGrace(question, sinceMs, 'principal_changed');
};

/** 4b. A signal that no later walk has answered. */
const unansweredSignal: Rule = (question) => {
  const { state, limits, nowMs } = question;
  if (state.phase !== 'signalled') return undefined;
  const answer = afterBoundary(question, state.oldestUnansweredMs ?? state.timeMs, 'signal_unanswered');
  const stormMs = (state.unquietSinceMs ?? state.timeMs) + limits.unquietMs;
  // Walks answer, and each is overtaken in turn: more time will not help the host.
  if (!answer || nowMs < stormMs || !isInGrace(answer)) return answer;
  return { reason: 'signal_storm', ...(isPending(answer) && { untilMs: answer.pendingUntilMs }) };
};

/** 4b. The server does not know a tool that it listed last. */
const unknownTool: Rule = (question) => {
  const { unknownTool: refused } = question.state.refusals;
  return refused && afterBoundary(question, refused.timeMs, 'tool_unknown');
};

/** 4c. The registry differs from the newest complete catalog less what the host left out. */
const differentRegistry: Rule = (question) => {
  const { comparison } = question.view;
  if (comparison?.kind === 'older') return differs(question, comparison.reason, afterBoundary);
  if (comparison?.kind === 'unfiltered') return differs(question, 'filter_not_applied');
  return comparison?.kind === 'unaccounted' ? differs(question, 'unaccounted_tools') : undefined;
};

/** `reason`, unless the host still has time to install what was discovered. */
function differs(question: Question, reason: Reason, after: typeof afterGrace = afterGrace): Answer {
  const { complete, timeMs } = question.state;
  const { report, differsSinceMs } = question.view;
  // A report made after the walk is the host's last word on it.
  if (question.final && (report?.sequence ?? 0) > (complete?.sequence ?? 0)) return { reason };
  return after(question, differsSinceMs ?? timeMs, reason);
}

/** 5. Discovered tools that the host did not get in, and says so. */
const remainder: Rule = ({ state: { complete }, view: { report } }) => {
  if (!report) return undefined;
  const names = complete?.catalog.entries && new Set(complete.catalog.entries.map(({ name }) => name));
  // What is no longer advertised is no longer missing.
  const some = (left: readonly string[]) => left.some((name) => names?.has(name) ?? true);
  if (some(report.capped)) return { reason: 'tools_capped' };
  if (some(report.rejected)) return { reason: 'tools_rejected' };
  return some(report.shadowed) ? { reason: 'tools_shadowed' } : undefined;
};

/** 6. Equal as far as digests reach, and some do not reach all of it. */
const remoteReference: Rule = ({ state: { complete }, view: { report } }) => {
  const installed = report?.catalog.entries && new Set(report.catalog.entries.map(({ name }) => name));
  const some = complete?.catalog.remote?.some((name) => installed?.has(name) ?? true);
  return some ? { reason: 'remote_reference' } : undefined;
};

/** 6. Equal, but nothing says that it is still the newest. */
const notFresh: Rule = (question) => {
  if (freshnessOf(question)) return undefined;
  const { state, view } = question;
  const policy = view.report?.policy?.kind;
  if (policy === 'before_run' || policy === 'interval') return { reason: 'refresh_overdue' };
  if (state.handshake && !state.handshake.listChanged) return { reason: 'signal_not_advertised' };
  return { reason: state.everCovered ? 'signal_coverage_lost' : 'no_signal_channel' };
};

const RULES: readonly Rule[] = [
  missingEvidence,
  unknownTransform,
  nothingDiscovered,
  noSnapshot,
  deadBinding,
  otherPrincipal,
  unansweredSignal,
  unknownTool,
  differentRegistry,
  remainder,
  remoteReference,
  notFresh,
];

export function judge(question: Question): Judgement {
  let waiting: NonNullable<Answer> | undefined;
  let untilMs = Number.POSITIVE_INFINITY;
  for (const rule of RULES) {
    const answer = rule(question);
    if (!answer) continue;
    if (isPending(answer)) untilMs = Math.min(untilMs, answer.pendingUntilMs);
    if (isPending(answer) || answer.reason === 'ended_within_grace') waiting ??= answer;
    // Waiting for one thing hides no other that is overdue: a fresh signal does not excuse an old registry.
    else if (!waiting || REASONS[answer.reason].verdict === 'stale') return decide(question, answer);
  }
  if (waiting) return isPending(waiting) ? { kind: 'pending', untilMs } : decide(question, waiting);
  const { notes = [], ...fresh } = freshnessOf(question) ?? {};
  return { kind: 'decided', reason: 'registry_equal', notes: [...notesOf(question), ...notes], ...fresh };
}

function decide(question: Question, { note, ...answer }: Extract<Answer, { reason: Reason }>): Judgement {
  return { kind: 'decided', notes: [...notesOf(question), ...(note ? [note] : [])], ...answer };
}

function notesOf({ state, view: { report, comparison }, limits }: Question): readonly Note[] {
  const notes: Note[] = [...state.signalNotes];
  if (report && report.filtered.length > 0) notes.push('filtered');
  if (report && report.withheld.length > 0) notes.push('withheld');
  if (report && report.renamed > 0) notes.push('renamed');
  if (report?.policy?.kind === 'pinned') notes.push('pinned');
  if (state.settled) notes.push('settled_by_equal_digests');
  if (comparison?.kind === 'equal' && comparison.volatile) notes.push('volatile_content');
  if (state.complete?.catalog.size === 0 && state.history.some(({ size }) => size > 0)) notes.push('catalog_emptied');
  if (disagrees(state.refusals, limits)) notes.push('calls_refused');
  return notes;
}
