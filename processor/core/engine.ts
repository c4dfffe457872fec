// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The verdict engine: observations in, verdicts out. Holds all live connections under limits, decides when a verdict is worth
 * giving, and says when it wants to be called again. No clock, no timer, no I/O: `nowMs` is Unix time in milliseconds, passed
 * in. Never throws on what an observation holds.
 */

import { isObservation } from '../../semconv/check-observation.ts';
import type { Call, ConnectionOpened, Observation, SpanRef } from '../../semconv/observation.ts';
import type { Reason, Verdict, VerdictKind } from '../../semconv/verdict.ts';
import { type ConnectionState, type View, viewOf } from './connection-state.ts';
import { describeVerdict, keyOf, staleDefinition } from './describe-verdict.ts';
import { fold, foldGap } from './fold.ts';
import { type Judgement, judge } from './judge.ts';
import { type Limits, resolveLimits } from './limits.ts';
import { type Estate, type Live, Population } from './population.ts';
import type { Ordered } from './sequencer.ts';

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
  /** A deadline has come: `nowMs` is the engine's clock, as for `observe`; a verdict tells the time of its evidence. */
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

/** Collects what one call of the engine has to say. */
interface Output {
  readonly verdicts: Verdict[];
  readonly staleCalls: StaleCall[];
}

class ConvergenceEngine implements Engine {
  readonly #limits: Limits;
  readonly #population: Population;
  /** No deadline is earlier; it may be later, which `advance` finds out. */
  #earliestMs = Number.POSITIVE_INFINITY;
  #duplicates = 0;
  #gaps = 0;

  constructor(limits: Partial<Limits> | undefined) {
    this.#limits = resolveLimits(limits);
    this.#population = new Population(this.#limits);
  }

  observe(observation: Observation, nowMs: number): Step {
    const output: Output = { verdicts: [], staleCalls: [] };
    const population = this.#population;
    if (!isObservation(observation)) {
      population.drop('not_an_observation');
      return this.#step(output);
    }
    const { connectionId, sequence } = observation;
    const estate = population.get(connectionId) ? undefined : population.estate(connectionId);
    if (estate && sequence < estate.next) {
      this.#duplicates += 1;
      return this.#step(output);
    }
    if (estate?.closed) {
      population.drop('after_close');
      return this.#step(output);
    }
    const live = this.#admit(observation, estate, nowMs, output);
    const ordered = live.sequencer.accept(population.share(observation), nowMs, this.#limits);
    if (!ordered) this.#duplicates += 1;
    else {
      if (observation.timeMs >= live.state.timeMs) live.lagMs = this.#lag(live.lagMs, nowMs - observation.timeMs);
      this.#take(live, ordered, output);
    }
    this.#expect(live);
    return this.#step(output);
  }

  advance(nowMs: number): Step {
    const output: Output = { verdicts: [], staleCalls: [] };
    for (const live of this.#population.all()) {
      if (nowMs - live.heardMs >= this.#limits.idleMs) this.#evict(live, 'idle', nowMs, output);
      else {
        this.#take(live, live.sequencer.expire(nowMs, this.#limits), output);
        if (this.#isLive(live)) this.#elapse(live, nowMs - live.lagMs, true, output);
      }
    }
    this.#earliestMs = Number.POSITIVE_INFINITY;
    for (const live of this.#population.all()) this.#expect(live);
    return this.#step(output);
  }

  end(nowMs: number): Step {
    const output: Output = { verdicts: [], staleCalls: [] };
    for (const live of this.#population.all()) {
      this.#take(live, live.sequencer.flush(), output);
      if (!this.#isLive(live)) continue;
      this.#elapse(live, nowMs - live.lagMs, true, output);
      this.#close(live, evidenceTime(live, nowMs), output);
    }
    this.#population.clear();
    this.#earliestMs = Number.POSITIVE_INFINITY;
    return { verdicts: output.verdicts, staleCalls: output.staleCalls };
  }

  current(): Readonly<Record<VerdictKind, number>> {
    const counts = { converged: 0, stale: 0, incomplete: 0, unverifiable: 0 };
    for (const { state } of this.#population.all()) {
      const worst = worstOf(viewsOf(state).flatMap(({ last }) => (last ? [last.verdict] : [])));
      if (worst) counts[worst] += 1;
    }
    return counts;
  }

  counters(): Counters {
    return { dropped: this.#population.dropped, duplicates: this.#duplicates, gaps: this.#gaps };
  }

  #isLive(live: Live): boolean {
    return this.#population.get(live.state.id) === live;
  }

  #admit(observation: Observation, estate: Estate | undefined, nowMs: number, output: Output): Live {
    const population = this.#population;
    const live = population.hear(observation, estate, nowMs);
    if (estate) {
      // What was known of it was dropped, so everything before is missing.
      this.#gaps += 1;
      foldGap(live.state, observation.sequence);
    }
    for (const { live: eldest, limit } of population.overflow()) this.#evict(eldest, limit, nowMs, output);
    return live;
  }

  #take(live: Live, ordered: readonly Ordered[], output: Output): void {
    for (const each of ordered) {
      if (each.kind === 'gap') {
        this.#gaps += 1;
        foldGap(live.state, each.beforeSequence);
        continue;
      }
      const { observation } = each;
      this.#elapse(live, observation.timeMs, false, output);
      if (observation.kind === 'connection_opened') this.#inherit(live.state, observation);
      if (observation.kind === 'call') this.#judgeCall(live.state, observation, output);
      fold(live.state, observation, this.#limits);
      if (observation.kind !== 'connection_closed') this.#judge(live, live.state.timeMs, false, output);
      else {
        this.#close(live, live.state.timeMs, output);
        return;
      }
    }
  }

  /** Judges at each deadline that has come by `timeMs`, in the time of the evidence, so that a batch is decided as if it had come in time. */
  #elapse(live: Live, timeMs: number, byClock: boolean, output: Output): void {
    for (let due = live.deadlineMs; due !== undefined && due <= timeMs; due = live.deadlineMs) {
      // While an earlier number is missing, the answer to what is pending may be among what is held back.
      if (byClock && live.sequencer.deadline(this.#limits) !== undefined) return;
      this.#judge(live, due, false, output);
    }
  }

  /** The same client, so the same registry: what was reported then is in use until something else is reported. */
  #inherit(state: ConnectionState, { previousConnectionId: previousId }: ConnectionOpened): void {
    const previous = previousId === undefined ? undefined : this.#population.get(previousId);
    const estate = previous ? estateOf(previous) : this.#population.estate(previousId ?? '');
    if (!estate) return;
    state.history = [...estate.history];
    for (const { layer, report, last, inheritedVerdict } of estate.views) {
      const view = viewOf(state, layer);
      view.report = report;
      view.inherited = true;
      view.inheritedVerdict = last?.verdict ?? inheritedVerdict;
    }
  }

  #close(live: Live, timeMs: number, output: Output): void {
    this.#judge(live, timeMs, true, output);
    this.#population.retire(live.state.id, estateOf(live));
  }

  #evict(live: Live, limit: string, nowMs: number, output: Output): void {
    this.#population.drop(limit);
    if (live.state.interestMs !== undefined) {
      for (const view of viewsOf(live.state)) {
        const timeMs = evidenceTime(live, nowMs);
        this.#emit(live.state, view, { kind: 'decided', reason: 'evicted', notes: [], limit }, timeMs, output);
      }
    }
    // Nothing to inherit: what was installed since is not known.
    this.#population.retire(live.state.id, { closed: false, next: live.sequencer.next, views: [], history: [] });
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
    const key = keyOf(state, view, judgement);
    if (view.last?.key === key) return;
    const verdict = describeVerdict(state, view, judgement, nowMs);
    view.last = { key, verdict: verdict.verdict, reason: verdict.reason, sequence: verdict.sequence };
    output.verdicts.push(verdict);
  }

  /** Against evidence from before the call was sent; a call under way when it comes in is not blamed. */
  #judgeCall(state: ConnectionState, call: Call, output: Output): void {
    for (const view of state.views.values()) {
      const stale = view.last?.verdict === 'stale' && view.last.sequence < call.startSequence ? view.last : undefined;
      const reason = stale?.reason ?? staleDefinition(state, view, call);
      if (!reason) continue;
      const { connectionId, tool, timeMs, span } = call;
      output.staleCalls.push({ connectionId, tool, reason, timeMs, ...(span && { span }) });
      return;
    }
  }

  /** Remembers how late batches were, but no further than the reorder window: one late batch must not put off deadlines for good. */
  #lag(beforeMs: number, newestMs: number): number {
    return Math.max(newestMs, Math.min(beforeMs, newestMs + this.#limits.reorderMs));
  }

  #expect(live: Live): void {
    const due = live.deadlineMs === undefined ? Number.POSITIVE_INFINITY : live.deadlineMs + live.lagMs;
    this.#earliestMs = Math.min(this.#earliestMs, live.sequencer.deadline(this.#limits) ?? due);
  }

  #step({ verdicts, staleCalls }: Output): Step {
    const { eldest } = this.#population;
    const idleMs = eldest ? eldest.heardMs + this.#limits.idleMs : Number.POSITIVE_INFINITY;
    const deadlineMs = Math.min(this.#earliestMs, idleMs);
    return Number.isFinite(deadlineMs) ? { verdicts, staleCalls, deadlineMs } : { verdicts, staleCalls };
  }
}

const SEVERITY: readonly VerdictKind[] = ['stale', 'incomplete', 'unverifiable', 'converged'];

function worstOf(verdicts: readonly VerdictKind[]): VerdictKind | undefined {
  return SEVERITY.find((each) => verdicts.includes(each));
}

/** Each layer that was reported; when none was, one view whose registry is unknown. */
function viewsOf(state: ConnectionState): readonly View[] {
  const reported = [...state.views.values()].filter(({ report }) => report !== undefined);
  return reported.length > 0 ? reported : [viewOf(state, 'installed')];
}

/** Its ordinals begin anew on the next connection, so a revision would name another catalog there. */
function estateOf({ state, sequencer }: Live): Estate {
  const history = state.history.map(({ revision: _, ...catalog }) => catalog);
  return {
    closed: true,
    next: sequencer.next,
    views: viewsOf(state).filter(({ report }) => report !== undefined),
    history,
  };
}

/** The engine's time as the machine of the evidence would tell it. */
function evidenceTime({ state, lagMs }: Live, nowMs: number): number {
  return Math.max(state.timeMs, nowMs - lagMs);
}

/** @throws TypeError when a limit is not a usable number. */
export function createEngine(limits?: Partial<Limits>): Engine {
  return new ConvergenceEngine(limits);
}
