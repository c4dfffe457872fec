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
  last: { readonly key: string; readonly verdict: VerdictKind; readonly reason: Reason } | undefined;
}

export interface ConnectionState {
  readonly id: string;
  epoch: Epoch;
  epochSinceMs: number;
  sequence: number;
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
  signalNotes: ReadonlySet<Note>;
  /** Newest whole and untorn walk of this epoch. */
  complete: Traversal | undefined;
  /** Newest walk of any outcome. */
  tried: Traversal | undefined;
  delivered: Delivered | undefined;
  /** Whole catalogs seen so far, oldest first, those of an earlier connection included. */
  history: Catalog[];
  /** Walks in a row that gave the same digest. */
  run: { readonly digest: string; readonly count: number } | undefined;
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
    sequence: 0,
    timeMs: first.timeMs,
    phase: 'unlisted',
    handshake: undefined,
    channels: new Map(),
    everCovered: false,
    signal: undefined,
    oldestUnansweredMs: undefined,
    unanswered: 0,
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
  const view: View = { layer, report: undefined, previousReportSequence: undefined, inherited: false, last: undefined };
  state.views.set(layer, view);
  return view;
}

/** Observations up to `sequence` exclusive never came. */
export function foldGap(state: ConnectionState, sequence: number): void {
  state.gapSequence = sequence;
  // Whether a channel stayed open in the meantime is unknown, so only a new opening counts.
  state.channels.clear();
  move(state, 'gap');
}

export function fold(state: ConnectionState, observation: Observation, limits: Limits): void {
  state.sequence = observation.sequence;
  state.timeMs = observation.timeMs;
  if (observation.epoch.id !== state.epoch.id) foldEpoch(state, observation);
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
      break;
    case 'delivered':
      state.delivered = observation;
      break;
    case 'installed':
      foldInstalled(state, observation);
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
  state.complete = undefined;
  state.tried = undefined;
  state.run = undefined;
  state.settled = false;
  forgetSignals(state);
  state.signal = undefined;
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
  state.unanswered += 1;
  const notes = new Set(state.signalNotes);
  if (signal.advertised === false) notes.add('unadvertised_signal');
  if (signal.malformed) notes.add('malformed_signal');
  if (signal.early) notes.add('early_signal');
  state.signalNotes = notes;
  // A settled catalog is one whose signals have proved to be noise; the next differing walk unsettles it.
  if (state.settled && state.phase === 'current') return;
  move(state, state.unanswered > limits.stormSignals ? 'storm' : 'signal');
}

function forgetSignals(state: ConnectionState): void {
  state.oldestUnansweredMs = undefined;
  state.unanswered = 0;
}

function foldTraversal(state: ConnectionState, traversal: Traversal, limits: Limits): void {
  state.interestMs ??= traversal.timeMs;
  // A walk that was overtaken by a newer complete one tells nothing new.
  if (state.complete && traversal.startSequence < state.complete.startSequence) return;
  state.tried = traversal;
  const tornBySignal = traversal.tornBy === 'signal' || crossedBySignal(state, traversal);
  const whole = traversal.outcome === 'complete' || traversal.outcome === 'torn';
  if (whole && (traversal.outcome === 'complete' || tornBySignal)) countRun(state, traversal);
  else state.run = undefined;
  const clears =
    traversal.startSequence > (state.signal?.sequence ?? 0) && traversal.startSequence >= (state.gapSequence ?? 0);
  const torn =
    traversal.outcome === 'torn' || (traversal.outcome === 'complete' && traversal.pages > 1 && tornBySignal);
  const settles = (state.run?.count ?? 0) >= limits.equalWalks;
  if (!whole || (torn && !settles)) {
    move(state, whole ? 'torn' : 'incomplete');
    return;
  }
  state.settled = !clears && settles;
  state.complete = traversal;
  remember(state, traversal.catalog, limits);
  if (clears || settles) forgetSignals(state);
  move(state, clears ? 'complete' : settles ? 'settled' : 'overtaken');
}

/** A signal was received between the request of the first page and the last page. */
function crossedBySignal(state: ConnectionState, traversal: Traversal): boolean {
  const sequence = state.signal?.sequence ?? 0;
  return sequence >= traversal.startSequence && sequence < traversal.sequence;
}

function countRun(state: ConnectionState, { catalog: { digest } }: Traversal): void {
  if (digest === undefined) state.run = undefined;
  else state.run = { digest, count: state.run?.digest === digest ? state.run.count + 1 : 1 };
}

export function remember(state: ConnectionState, catalog: Catalog, limits: Limits): void {
  state.history = state.history.filter(({ digest }) => digest !== catalog.digest);
  state.history.push(catalog);
  if (state.history.length > limits.history) state.history.shift();
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
