// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What is known of one connection, and how an observation changes it. Pure: plain state, folded in order of sequence; whether
 * the order was kept is the sequencer's business, what it all means is the judge's.
 */

import type {
  Catalog,
  Coverage,
  Delivered,
  Epoch,
  Handshake,
  Installed,
  Observation,
  Signal,
  SpanRef,
  Traversal,
} from '../../semconv/observation.ts';
import type { Note, Reason, VerdictKind } from '../../semconv/verdict.ts';
import { type Comparison, compare } from './compare.ts';
import type { Limits } from './limits.ts';
import { type Phase, type PhaseEvent, TRANSITIONS } from './transitions.ts';

export type Layer = Installed['layer'];

/** One layer of the host's registry: what was reported, and what was said of it. */
export interface View {
  readonly layer: Layer;
  report: Installed | undefined;
  /** Sequence of the report before that one, for the policy `before_run`. */
  previousReportSequence: number | undefined;
  /** The report was made on an earlier connection of the same client. */
  inherited: boolean;
  /** Of the report with the newest whole walk; undefined while either is missing. */
  comparison: Comparison | undefined;
  /** Since when the registry has not equalled the newest whole walk; walks and reports in between do not start it again. */
  differsSinceMs: number | undefined;
  /** What was said last of this connection. */
  last:
    | { readonly key: string; readonly verdict: VerdictKind; readonly reason: Reason; readonly sequence: number }
    | undefined;
  /** What was said last of the connection that the report is inherited from. */
  inheritedVerdict: VerdictKind | undefined;
}

export interface ConnectionState {
  readonly id: string;
  epoch: Epoch;
  epochSinceMs: number;
  /** Of the observation that brought the epoch; a walk asked for before it may have been answered by other code. */
  epochSequence: number;
  /** End of the first whole walk of this epoch. */
  epochListedMs: number | undefined;
  sequence: number;
  /** Time of the newest evidence; never goes back. */
  timeMs: number;
  phase: Phase;
  handshake: Handshake | undefined;
  /** Channels on which a signal could arrive now, with the sequence number of their opening. */
  readonly channels: Map<Coverage['channel'], number>;
  everCovered: boolean;
  /** Newest and oldest unanswered signal of this epoch, and how many are unanswered. */
  signal: Signal | undefined;
  oldestUnansweredMs: number | undefined;
  unanswered: number;
  /** When the first signal came since all were answered; walks that answer only some do not move it. */
  unquietSinceMs: number | undefined;
  signalNotes: ReadonlySet<Note>;
  /** Newest whole and untorn walk of this epoch. */
  complete: Traversal | undefined;
  /** Newest walk of any outcome. */
  tried: Traversal | undefined;
  delivered: Delivered | undefined;
  /** Whole catalogs seen so far, oldest first, those of an earlier connection included. */
  history: Catalog[];
  /** Walks in a row, each crossed by a signal, that gave the same digest; and the number of the newest. */
  run: { readonly digest: string; readonly count: number; readonly sequence: number } | undefined;
  settled: boolean;
  /** Observations before this one are missing. */
  gapSequence: number | undefined;
  /** When something first happened that makes a verdict worth giving. */
  interestMs: number | undefined;
  readonly views: Map<Layer, View>;
}

export function createConnectionState(first: Observation): ConnectionState {
  return {
    id: first.connectionId,
    epoch: first.epoch,
    epochSinceMs: first.timeMs,
    epochSequence: 0,
    epochListedMs: undefined,
    sequence: 0,
    timeMs: Number.NEGATIVE_INFINITY,
    phase: 'unlisted',
    handshake: undefined,
    channels: new Map(),
    everCovered: false,
    signal: undefined,
    oldestUnansweredMs: undefined,
    unanswered: 0,
    unquietSinceMs: undefined,
    signalNotes: new Set(),
    complete: undefined,
    tried: undefined,
    delivered: undefined,
    history: [],
    run: undefined,
    settled: false,
    gapSequence: undefined,
    interestMs: undefined,
    views: new Map(),
  };
}

export function viewOf(state: ConnectionState, layer: Layer): View {
  const known = state.views.get(layer);
  if (known) return known;
  const view: View = {
    layer,
    report: undefined,
    previousReportSequence: undefined,
    inherited: false,
    comparison: undefined,
    differsSinceMs: undefined,
    last: undefined,
    inheritedVerdict: undefined,
  };
  state.views.set(layer, view);
  return view;
}

/** Channels that cannot close before the connection does, so that none of their closings can be lost. */
const LIFELONG: ReadonlySet<Coverage['channel']> = new Set(['pipe', 'socket', 'in_memory']);

/** Observations up to `sequence` exclusive never came. */
export function foldGap(state: ConnectionState, sequence: number): void {
  state.gapSequence = sequence;
  // Whether such a channel stayed open in the meantime is unknown, so only a new opening counts.
  for (const channel of state.channels.keys()) if (!LIFELONG.has(channel)) state.channels.delete(channel);
  state.run = undefined;
  move(state, 'gap');
}

export function fold(state: ConnectionState, observation: Observation, limits: Limits): void {
  // What arrived first need not be what happened first.
  if (state.sequence === 0) state.epochSinceMs = observation.timeMs;
  else if (observation.epoch.id !== state.epoch.id) foldEpoch(state, observation);
  state.sequence = observation.sequence;
  state.timeMs = Math.max(state.timeMs, observation.timeMs);
  state.epoch = observation.epoch;
  switch (observation.kind) {
    case 'handshake':
      state.handshake = observation;
      break;
    case 'coverage':
      foldCoverage(state, observation);
      break;
    case 'signal':
      foldSignal(state, observation, limits);
      break;
    case 'traversal':
      foldTraversal(state, observation, limits);
      compareViews(state);
      break;
    case 'delivered':
      state.delivered = observation;
      compareViews(state);
      break;
    case 'installed':
      foldInstalled(state, observation);
      compareViews(state);
      break;
    case 'call':
      state.interestMs ??= observation.timeMs;
      break;
    default:
  }
}

function move(state: ConnectionState, event: PhaseEvent): void {
  state.phase = TRANSITIONS[state.phase][event];
}

/** What was discovered before says nothing of the code that answers now; what is installed stays bound to the old. */
function foldEpoch(state: ConnectionState, observation: Observation): void {
  state.epochSinceMs = observation.timeMs;
  state.epochSequence = observation.sequence;
  state.epochListedMs = undefined;
  state.complete = undefined;
  state.tried = undefined;
  state.run = undefined;
  state.settled = false;
  forgetSignals(state);
  state.signal = undefined;
  compareViews(state);
  move(state, 'epoch');
}

function foldCoverage(state: ConnectionState, { state: change, channel, sequence }: Coverage): void {
  if (change === 'opened') {
    state.channels.set(channel, sequence);
    state.everCovered = true;
  } else state.channels.delete(channel);
}

function foldSignal(state: ConnectionState, signal: Signal, limits: Limits): void {
  state.interestMs ??= signal.timeMs;
  state.signal = signal;
  state.oldestUnansweredMs ??= signal.timeMs;
  state.unquietSinceMs ??= signal.timeMs;
  state.unanswered += 1;
  const notes = new Set(state.signalNotes);
  if (signal.advertised === false) notes.add('unadvertised_signal');
  if (signal.malformed) notes.add('malformed_signal');
  if (signal.early) notes.add('early_signal');
  state.signalNotes = notes;
  move(state, state.unanswered > limits.stormSignals ? 'storm' : 'signal');
}

function forgetSignals(state: ConnectionState): void {
  state.oldestUnansweredMs = undefined;
  state.unquietSinceMs = undefined;
  state.unanswered = 0;
}

function foldTraversal(state: ConnectionState, traversal: Traversal, limits: Limits): void {
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
  const clears =
    traversal.startSequence > (state.signal?.sequence ?? 0) && traversal.startSequence >= (state.gapSequence ?? 0);
  const settles = state.run?.sequence === traversal.sequence && state.run.count >= limits.equalWalks;
  if (!whole || (torn && !settles)) {
    move(state, whole ? 'torn' : 'incomplete');
    return;
  }
  state.settled = !clears && settles;
  state.complete = traversal;
  state.epochListedMs ??= traversal.timeMs;
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

export function remember(state: ConnectionState, catalog: Catalog, limits: Limits): void {
  state.history = state.history.filter(({ digest }) => digest !== catalog.digest);
  state.history.push(catalog);
  if (state.history.length > limits.history) state.history.shift();
}

/** Behind the newest, which stays the last to be forgotten. */
function rememberEarlier(state: ConnectionState, catalog: Catalog, limits: Limits): void {
  if (state.history.some(({ digest }) => digest === catalog.digest)) return;
  state.history.splice(-1, 0, catalog);
  if (state.history.length > limits.history) state.history.shift();
}

/** Done when either side changes, and not when judging, which happens with every call. */
function compareViews(state: ConnectionState): void {
  const { complete, delivered } = state;
  for (const view of state.views.values()) {
    const { report } = view;
    if (!report || !complete) {
      view.comparison = undefined;
      view.differsSinceMs = undefined;
      continue;
    }
    // What the SDK itself had to drop from this very walk was never the host's to install.
    const returned = delivered?.traversalId === complete.traversalId && !delivered.partial ? [delivered.catalog] : [];
    view.comparison = compare(report, complete.catalog, returned, state.history);
    if (view.comparison.kind === 'equal') view.differsSinceMs = undefined;
    else view.differsSinceMs ??= view.inherited ? complete.timeMs : Math.max(complete.timeMs, report.timeMs);
  }
}

function foldInstalled(state: ConnectionState, report: Installed): void {
  state.interestMs ??= report.timeMs;
  const view = viewOf(state, report.layer);
  view.previousReportSequence = view.inherited ? undefined : view.report?.sequence;
  view.report = report;
  view.inherited = false;
}

/** The spans that decide: newest walk, newest signal, report. */
export function judgedSpans(state: ConnectionState, view: View): readonly SpanRef[] {
  const spans = [state.tried?.span, state.complete?.span, state.signal?.span, view.report?.span];
  return spans.filter((span, index): span is SpanRef => span !== undefined && spans.indexOf(span) === index);
}
