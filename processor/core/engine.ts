// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The verdict engine: observations in, verdicts out. Holds all live connections under limits, decides when a verdict is worth
 * giving, and says when it wants to be called again. No clock, no timer, no I/O: `nowMs` is Unix time in milliseconds, passed
 * in. Never throws on what an observation holds.
 */

import { REASONS } from '../../semconv/names.ts';
import type { Call, Catalog, Observation, SpanRef } from '../../semconv/observation.ts';
import type { Reason, Verdict, VerdictKind } from '../../semconv/verdict.ts';
import { compare, differenceOf, NO_DIFFERENCE } from './compare.ts';
import {
  type ConnectionState,
  createConnectionState,
  fold,
  foldGap,
  judgedSpans,
  type View,
  viewOf,
} from './connection-state.ts';
import { isObservation } from './is-observation.ts';
import { type Judgement, judge } from './judge.ts';
import { type Limits, resolveLimits } from './limits.ts';
import { type Ordered, Sequencer } from './sequencer.ts';

/** A tool was called while its definition in use was known to be stale. */
export interface StaleCall {
  readonly connectionId: string;
  readonly tool: string;
  readonly reason: Reason;
  readonly timeMs: number;
  readonly span?: SpanRef;
}

export interface Step {
  readonly verdicts: readonly Verdict[];
  readonly staleCalls: readonly StaleCall[];
  /** When to call `advance`, if nothing is observed before. */
  readonly deadlineMs?: number;
}

export interface Engine {
  observe(observation: Observation, nowMs: number): Step;
  /** A deadline has come. */
  advance(nowMs: number): Step;
  /** The process or service ends: everything that is pending is decided, and all state is dropped. */
  end(nowMs: number): Step;
  /** Live connections by their last verdict. */
  current(): Readonly<Record<VerdictKind, number>>;
  /** What was not taken in: states and observations dropped by the limit that was hit, duplicates, gaps. */
  counters(): Counters;
}

export interface Counters {
  readonly dropped: Readonly<Record<string, number>>;
  readonly duplicates: number;
  readonly gaps: number;
}

interface Live {
  readonly state: ConnectionState;
  readonly sequencer: Sequencer;
  heardMs: number;
  /** When judging again may give another answer, by itself. */
  deadlineMs: number | undefined;
}

/** What a later connection of the same client inherits. */
interface Estate {
  readonly views: readonly View[];
  readonly history: readonly Catalog[];
}

/** Collects what one call of the engine has to say. */
interface Output {
  readonly verdicts: Verdict[];
  readonly staleCalls: StaleCall[];
}

class ConvergenceEngine implements Engine {
  readonly #limits: Limits;
  /** In order of when each was last heard of. */
  readonly #live = new Map<string, Live>();
  readonly #estates = new Map<string, Estate>();
  readonly #dropped: Record<string, number> = {};
  /** No deadline is earlier; it may be later, which `advance` finds out. */
  #earliestMs = Number.POSITIVE_INFINITY;
  #duplicates = 0;
  #gaps = 0;

  constructor(limits: Partial<Limits> | undefined) {
    this.#limits = resolveLimits(limits);
  }

  observe(observation: Observation, nowMs: number): Step {
    const output: Output = { verdicts: [], staleCalls: [] };
    if (!isObservation(observation)) {
      this.#drop('not_an_observation');
      return this.#step(output);
    }
    const live = this.#admit(observation, nowMs, output);
    const ordered = live.sequencer.accept(observation, nowMs, this.#limits);
    if (!ordered) this.#duplicates += 1;
    else this.#take(live, ordered, nowMs, output);
    this.#expect(live);
    return this.#step(output);
  }

  advance(nowMs: number): Step {
    const output: Output = { verdicts: [], staleCalls: [] };
    for (const live of [...this.#live.values()]) {
      if (nowMs - live.heardMs >= this.#limits.idleMs) this.#evict(live, 'idle', nowMs, output);
      else {
        this.#take(live, live.sequencer.expire(nowMs, this.#limits), nowMs, output);
        if (live.deadlineMs !== undefined && live.deadlineMs <= nowMs) this.#judge(live, nowMs, false, output);
      }
    }
    this.#earliestMs = Number.POSITIVE_INFINITY;
    for (const live of this.#live.values()) this.#expect(live);
    return this.#step(output);
  }

  end(nowMs: number): Step {
    const output: Output = { verdicts: [], staleCalls: [] };
    for (const live of [...this.#live.values()]) {
      this.#take(live, live.sequencer.flush(), nowMs, output);
      if (this.#live.has(live.state.id)) this.#close(live, nowMs, output);
    }
    return { verdicts: output.verdicts, staleCalls: output.staleCalls };
  }

  current(): Readonly<Record<VerdictKind, number>> {
    const counts = { converged: 0, stale: 0, incomplete: 0, unverifiable: 0 };
    for (const { state } of this.#live.values()) {
      const worst = worstOf([...state.views.values()].flatMap(({ last }) => (last ? [last.verdict] : [])));
      if (worst) counts[worst] += 1;
    }
    return counts;
  }

  counters(): Counters {
    return { dropped: { ...this.#dropped }, duplicates: this.#duplicates, gaps: this.#gaps };
  }

  #admit(observation: Observation, nowMs: number, output: Output): Live {
    const known = this.#live.get(observation.connectionId);
    const live: Live = known ?? {
      state: createConnectionState(observation),
      sequencer: new Sequencer(),
      heardMs: nowMs,
      deadlineMs: undefined,
    };
    live.heardMs = nowMs;
    // Re-inserted, so that the map stays in order of when each was last heard of.
    this.#live.delete(observation.connectionId);
    this.#live.set(observation.connectionId, live);
    const eldest = this.#live.size > this.#limits.connections ? this.#live.values().next().value : undefined;
    if (eldest) this.#evict(eldest, 'connections', nowMs, output);
    return live;
  }

  #take(live: Live, ordered: readonly Ordered[], nowMs: number, output: Output): void {
    for (const each of ordered) {
      if (each.kind === 'gap') {
        this.#gaps += 1;
        foldGap(live.state, each.beforeSequence);
        continue;
      }
      const { observation } = each;
      if (observation.kind === 'connection_opened') this.#inherit(live.state, observation.previousConnectionId);
      if (observation.kind === 'call') this.#judgeCall(live.state, observation, output);
      fold(live.state, observation, this.#limits);
      if (observation.kind === 'connection_closed') this.#close(live, nowMs, output);
      else this.#judge(live, nowMs, false, output);
    }
  }

  /** The same client, so the same registry: what was reported then is in use until something else is reported. */
  #inherit(state: ConnectionState, previousId: string | undefined): void {
    const previous = previousId === undefined ? undefined : this.#live.get(previousId);
    const estate = previous ? estateOf(previous.state) : this.#estates.get(previousId ?? '');
    if (!estate) return;
    state.history = [...estate.history];
    for (const { layer, report, last } of estate.views) {
      const view = viewOf(state, layer);
      view.report = report;
      view.inherited = true;
      view.last = last;
    }
  }

  #close(live: Live, nowMs: number, output: Output): void {
    this.#judge(live, nowMs, true, output);
    this.#live.delete(live.state.id);
    this.#estates.set(live.state.id, estateOf(live.state));
    const eldest = this.#estates.size > this.#limits.retired ? this.#estates.keys().next().value : undefined;
    if (eldest !== undefined) {
      this.#estates.delete(eldest);
      this.#drop('retired');
    }
  }

  #evict(live: Live, limit: string, nowMs: number, output: Output): void {
    this.#drop(limit);
    if (live.state.interestMs !== undefined) {
      for (const view of viewsOf(live.state)) {
        this.#emit(live.state, view, { kind: 'decided', reason: 'evicted', notes: [], limit }, nowMs, output);
      }
    }
    this.#live.delete(live.state.id);
  }

  #drop(limit: string): void {
    this.#dropped[limit] = (this.#dropped[limit] ?? 0) + 1;
  }

  #judge(live: Live, nowMs: number, final: boolean, output: Output): void {
    const { state } = live;
    live.deadlineMs = undefined;
    if (state.interestMs === undefined) return;
    for (const view of viewsOf(state)) {
      const judgement = judge({ state, view, limits: this.#limits, nowMs, final });
      if (judgement.untilMs !== undefined)
        live.deadlineMs = Math.min(live.deadlineMs ?? Number.POSITIVE_INFINITY, judgement.untilMs);
      if (judgement.kind === 'decided') this.#emit(state, view, judgement, nowMs, output);
    }
  }

  #emit(
    state: ConnectionState,
    view: View,
    judgement: Extract<Judgement, { kind: 'decided' }>,
    nowMs: number,
    output: Output,
  ): void {
    const verdict = describe(state, view, judgement, nowMs);
    const key = keyOf(state, verdict);
    if (view.last?.key === key) return;
    view.last = { key, verdict: verdict.verdict, reason: verdict.reason };
    output.verdicts.push(verdict);
  }

  /** Against what was known before the call ended; a call under way when the verdict falls is not blamed. */
  #judgeCall(state: ConnectionState, call: Call, output: Output): void {
    for (const view of state.views.values()) {
      const reason = view.last?.verdict === 'stale' ? view.last.reason : staleDefinition(state, view, call.tool);
      if (!reason) continue;
      const { connectionId, tool, timeMs, span } = call;
      output.staleCalls.push({ connectionId, tool, reason, timeMs, ...(span && { span }) });
      return;
    }
  }

  #expect(live: Live): void {
    const held = live.sequencer.deadline(this.#limits);
    this.#earliestMs = Math.min(
      this.#earliestMs,
      live.deadlineMs ?? Number.POSITIVE_INFINITY,
      held ?? Number.POSITIVE_INFINITY,
    );
  }

  #step({ verdicts, staleCalls }: Output): Step {
    const eldest = this.#live.values().next().value;
    const idleMs = eldest ? eldest.heardMs + this.#limits.idleMs : Number.POSITIVE_INFINITY;
    const deadlineMs = Math.min(this.#earliestMs, idleMs);
    return Number.isFinite(deadlineMs) ? { verdicts, staleCalls, deadlineMs } : { verdicts, staleCalls };
  }
}

const SEVERITY: readonly VerdictKind[] = ['stale', 'incomplete', 'unverifiable', 'converged'];

function worstOf(verdicts: readonly VerdictKind[]): VerdictKind | undefined {
  return SEVERITY.find((each) => verdicts.includes(each));
}

/** A connection of which nothing was reported is judged as one view whose registry is unknown. */
function viewsOf(state: ConnectionState): readonly View[] {
  return state.views.size > 0 ? [...state.views.values()] : [viewOf(state, 'installed')];
}

function estateOf(state: ConnectionState): Estate {
  return { views: [...state.views.values()].filter(({ report }) => report !== undefined), history: state.history };
}

/** Known to be older than the newest catalog, although the grace period is not over. */
function staleDefinition(state: ConnectionState, { report }: View, tool: string): Reason | undefined {
  if (!report || !state.complete) return undefined;
  const comparison = compare(report, state.complete.catalog, [], state.history);
  if (comparison.kind !== 'older') return undefined;
  const { changed, removed } = differenceOf(report, state.complete.catalog);
  return changed.includes(tool) || removed.includes(tool) ? comparison.reason : undefined;
}

function describe(
  state: ConnectionState,
  view: View,
  { reason, notes, limit }: Extract<Judgement, { kind: 'decided' }>,
  nowMs: number,
): Verdict {
  const { complete, handshake, signal } = state;
  const { report } = view;
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
    ...(view.last && { previous: view.last.verdict }),
    ...(handshake?.serverName !== undefined && { serverName: handshake.serverName }),
    ...(handshake?.protocolVersion !== undefined && { protocolVersion: handshake.protocolVersion }),
  };
}

/** Two verdicts with one key say the same; a converged one that answers another signal does not. */
function keyOf(state: ConnectionState, verdict: Verdict): string {
  const { reason, layer, discoveredDigest, installedDigest, epoch, notes } = verdict;
  const answered = verdict.verdict === 'converged' && !state.settled ? (state.signal?.sequence ?? 0) : 0;
  return JSON.stringify([reason, layer, discoveredDigest, installedDigest, epoch.id, answered, notes]);
}

/** @throws TypeError when a limit is not a usable number. */
export function createEngine(limits?: Partial<Limits>): Engine {
  return new ConvergenceEngine(limits);
}
