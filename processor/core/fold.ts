// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** How an observation, or a gap where one is missing, changes the state of its connection. Pure; in order of sequence. */

import type { Boundary, Coverage, Installed, Observation, PrincipalSet, Signal } from '../../semconv/observation.ts';
import { compare, shortcomingOf } from './compare.ts';
import { type ConnectionState, forgetSignals, move, viewOf } from './connection-state.ts';
import { foldTraversal } from './fold-traversal.ts';
import type { Limits } from './limits.ts';
import { foldCall, forgetRefusals } from './refusals.ts';

/** Channels that cannot close before the connection does, so that none of their closings can be lost. */
const LIFELONG: ReadonlySet<Coverage['channel']> = new Set(['pipe', 'socket', 'in_memory']);

/** Observations up to `sequence` exclusive never came. */
export function foldGap(state: ConnectionState, sequence: number): void {
  state.gapSequence = sequence;
  // Whether such a channel stayed open in the meantime is unknown, so only a new opening counts.
  closeStreams(state);
  state.run = undefined;
  move(state, 'gap');
}

function closeStreams({ channels }: ConnectionState): void {
  for (const channel of channels.keys()) if (!LIFELONG.has(channel)) channels.delete(channel);
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
      // From here on the host could list: a registry in use that is bound to nothing is worth a verdict.
      if ([...state.views.values()].some(({ report }) => report)) state.interestMs ??= observation.timeMs;
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
      // A cache hit, or a list that nobody asked the server for, says nothing of what the SDK made of a walk.
      if (observation.source === 'wire') state.delivered = observation;
      compareViews(state);
      break;
    case 'installed':
      foldInstalled(state, observation);
      compareViews(state);
      break;
    case 'call':
      state.interestMs ??= observation.timeMs;
      foldCall(state.refusals, observation, state.complete);
      break;
    case 'principal':
      foldPrincipal(state, observation);
      break;
    case 'boundary':
      passBoundary(state, observation.boundary, observation.timeMs);
      break;
    default:
  }
}

/** What was discovered before says nothing of the code that answers now; what is installed stays bound to the old. */
function foldEpoch(state: ConnectionState, observation: Observation): void {
  if (state.phase !== 'unlisted') state.epochSinceMs = observation.timeMs;
  state.epochSequence = observation.sequence;
  state.tornSinceMs = undefined;
  state.complete = undefined;
  state.tried = undefined;
  state.run = undefined;
  state.settled = false;
  state.unsignalled = [];
  forgetRefusals(state.refusals);
  forgetSignals(state);
  state.signal = undefined;
  // The stream of a session ends with it, whether or not its end is seen.
  closeStreams(state);
  compareViews(state);
  move(state, 'epoch');
}

/** Named for the first time it is no change: everything before was done for the same one. */
function foldPrincipal(state: ConnectionState, { principal, sequence, timeMs }: PrincipalSet): void {
  if (state.principal !== undefined && state.principal !== principal) state.principalChange = { sequence, timeMs };
  state.principal = principal;
}

/** Each boundary is one of the kinds after it as well. */
const BEGUN_BY: Readonly<Record<Boundary, readonly Boundary[]>> = {
  model_call: ['model_call'],
  turn: ['turn', 'model_call'],
  session: ['session', 'turn', 'model_call'],
};

function passBoundary(state: ConnectionState, boundary: Boundary, timeMs: number): void {
  for (const each of BEGUN_BY[boundary]) state.boundaries.set(each, timeMs);
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

/** Done when either side changes, and not when judging, which happens with every call. */
function compareViews(state: ConnectionState): void {
  const { complete, delivered } = state;
  for (const view of state.views.values()) {
    const { report } = view;
    if (!report || !complete) {
      view.comparison = undefined;
      view.shortcoming = undefined;
      view.differsSinceMs = undefined;
      continue;
    }
    if (view.inherited || report.epoch.id !== state.epoch.id) view.boundElsewhereSinceMs ??= complete.timeMs;
    // What the SDK itself had to drop from this very walk was never the host's to install.
    const isOfThis = delivered?.traversalId === complete.traversalId && delivered.errorType === undefined;
    const returned = delivered && isOfThis && !delivered.partial ? [delivered.catalog] : [];
    view.shortcoming = shortcomingOf(report, complete.catalog);
    const comparison = compare(report, complete.catalog, returned, state.history);
    // What is missing from a registry that was built before the list was known needs no excuse of the host.
    const outdated = comparison.kind === 'unaccounted' && view.reportedAgainst !== complete.catalog.digest;
    view.comparison = outdated ? { kind: 'older', reason: 'tool_set_changed' } : comparison;
    if (view.comparison.kind === 'equal') view.differsSinceMs = undefined;
    else view.differsSinceMs ??= view.inherited ? complete.timeMs : Math.max(complete.timeMs, report.timeMs);
  }
}

function foldInstalled(state: ConnectionState, report: Installed): void {
  state.interestMs ??= report.timeMs;
  // What a model request carried was reported because one is made.
  if (report.layer === 'used') passBoundary(state, 'model_call', report.timeMs);
  const view = viewOf(state, report.layer);
  view.previousReportSequence = view.inherited ? undefined : view.report?.sequence;
  view.report = report;
  view.reportedAgainst = state.complete?.catalog.digest;
  view.inherited = false;
  view.boundElsewhereSinceMs = undefined;
}
