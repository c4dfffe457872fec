// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What is known of one connection. Plain state: how observations change it is in `fold.ts`, what it all means in `judge.ts`.
 */

import type {
  Boundary,
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
import type { Comparison } from './compare.ts';
import { createRefusals, type Refusals } from './refusals.ts';
import { type Phase, type PhaseEvent, TRANSITIONS } from './transitions.ts';

export type Layer = Installed['layer'];

/** One layer of the host's registry: what was reported, and what was said of it. */
export interface View {
  readonly layer: Layer;
  report: Installed | undefined;
  /** Sequence of the report before that one, for the policy `before_run`. */
  previousReportSequence: number | undefined;
  /** Digest of the newest whole walk when the report was made; undefined when there was none. */
  reportedAgainst: string | undefined;
  /** The report was made on an earlier connection of the same client. */
  inherited: boolean;
  /** Of the report with the newest whole walk; undefined while either is missing. */
  comparison: Comparison | undefined;
  /** What keeps an equal registry from being complete or comparable as a whole; likewise. */
  shortcoming: Reason | undefined;
  /** Since when the registry has not equalled the newest whole walk; walks and reports in between do not start it again. */
  differsSinceMs: number | undefined;
  /** Since when a whole walk has been known of code that the registry is not bound to; only a new report ends it. */
  boundElsewhereSinceMs: number | undefined;
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
  /** Since when nothing is listed in the epoch; further epochs without a walk do not start it again. */
  epochSinceMs: number;
  /** Of the observation that brought the epoch; a walk asked for before it may have been answered by other code. */
  epochSequence: number;
  /** Since when the newest whole walk has been torn; further torn ones do not start it again. */
  tornSinceMs: number | undefined;
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
  /** Digests of the newest walks of this epoch between which no signal came, oldest first. */
  unsignalled: readonly string[];
  /** For whom the connection acts, and since when that is somebody else than before. */
  principal: string | undefined;
  principalChange: { readonly sequence: number; readonly timeMs: number } | undefined;
  /** When the host last passed each visibility boundary. */
  readonly boundaries: Map<Boundary, number>;
  readonly refusals: Refusals;
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
    tornSinceMs: undefined,
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
    unsignalled: [],
    principal: undefined,
    principalChange: undefined,
    boundaries: new Map(),
    refusals: createRefusals(),
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
    reportedAgainst: undefined,
    inherited: false,
    comparison: undefined,
    shortcoming: undefined,
    differsSinceMs: undefined,
    boundElsewhereSinceMs: undefined,
    last: undefined,
    inheritedVerdict: undefined,
  };
  state.views.set(layer, view);
  return view;
}

export function move(state: ConnectionState, event: PhaseEvent): void {
  state.phase = TRANSITIONS[state.phase][event];
}

export function forgetSignals(state: ConnectionState): void {
  state.oldestUnansweredMs = undefined;
  state.unquietSinceMs = undefined;
  state.unanswered = 0;
}

/** The spans that decide: newest walk, newest signal, report. */
export function judgedSpans(state: ConnectionState, view: View): readonly SpanRef[] {
  const spans = [state.tried?.span, state.complete?.span, state.signal?.span, view.report?.span];
  return spans.filter((span, index): span is SpanRef => span !== undefined && spans.indexOf(span) === index);
}
