// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The verdict engine: observations in, verdicts out. Holds all live connections under limits, decides when a verdict is worth
 * giving, and says when it wants to be called again. No clock, no timer, no I/O: `nowMs` is Unix time in milliseconds, passed
 * in. Never throws on what an observation holds.
 */

import type { Call, Catalog, Observation, SpanRef } from '../../semconv/observation.ts';
import type { Reason, Verdict, VerdictKind } from '../../semconv/verdict.ts';
import { type ConnectionState, createConnectionState, type View, viewOf } from './connection-state.ts';
import { describeVerdict, keyOf, staleDefinition } from './describe-verdict.ts';
import { fold, foldGap } from './fold.ts';
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

interface Live {
  readonly state: ConnectionState;
  readonly sequencer: Sequencer;
  heardMs: number;
  /**
   * By how much the engine's clock was ahead of the newest observations' time: skew between machines, and how long batches
   * take. Deadlines are reckoned in the time of the evidence and are due in the engine's only that much later.
   */
  lagMs: number;
  /** When judging again may give another answer, by itself; in the time of the evidence. */
  deadlineMs: number | undefined;
}

/** What a later connection of the same client inherits. */
interface Estate {
  /** Nothing can follow. An evicted connection may go on, with a gap. */
  readonly closed: boolean;
  /** Numbers below it were seen: what comes with one of them is a duplicate, not a new connection. */
  readonly next: number;
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
    const estate = this.#live.has(observation.connectionId) ? undefined : this.#estates.get(observation.connectionId);
    if (estate && observation.sequence < estate.next) {
      this.#duplicates += 1;
      return this.#step(output);
    }
    if (estate?.closed) {
      this.#drop('after_close');
      return this.#step(output);
    }
    const live = this.#admit(observation, estate, nowMs, output);
    const ordered = live.sequencer.accept(observation, nowMs, this.#limits);
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
    for (const live of [...this.#live.values()]) {
      if (nowMs - live.heardMs >= this.#limits.idleMs) this.#evict(live, 'idle', nowMs, output);
      else {
        this.#take(live, live.sequencer.expire(nowMs, this.#limits), output);
        if (this.#live.has(live.state.id)) this.#elapse(live, nowMs - live.lagMs, true, output);
      }
    }
    this.#earliestMs = Number.POSITIVE_INFINITY;
    for (const live of this.#live.values()) this.#expect(live);
    return this.#step(output);
  }

  end(nowMs: number): Step {
    const output: Output = { verdicts: [], staleCalls: [] };
    for (const live of [...this.#live.values()]) {
      this.#take(live, live.sequencer.flush(), output);
      if (!this.#live.has(live.state.id)) continue;
      this.#elapse(live, nowMs - live.lagMs, true, output);
      this.#close(live, evidenceTime(live, nowMs), output);
    }
    this.#estates.clear();
    this.#earliestMs = Number.POSITIVE_INFINITY;
    return { verdicts: output.verdicts, staleCalls: output.staleCalls };
  }

  current(): Readonly<Record<VerdictKind, number>> {
    const counts = { converged: 0, stale: 0, incomplete: 0, unverifiable: 0 };
    for (const { state } of this.#live.values()) {
      const worst = worstOf(viewsOf(state).flatMap(({ last }) => (last ? [last.verdict] : [])));
      if (worst) counts[worst] += 1;
    }
    return counts;
  }

  counters(): Counters {
    return { dropped: { ...this.#dropped }, duplicates: this.#duplicates, gaps: this.#gaps };
  }

  #admit(observation: Observation, estate: Estate | undefined, nowMs: number, output: Output): Live {
    const known = this.#live.get(observation.connectionId);
    const live: Live = known ?? {
      state: createConnectionState(observation),
      sequencer: new Sequencer(estate && observation.sequence),
      heardMs: nowMs,
      lagMs: nowMs - observation.timeMs,
      deadlineMs: undefined,
    };
    live.heardMs = nowMs;
    if (!known && estate) {
      // What was known of it was dropped, so everything before is missing.
      this.#gaps += 1;
      foldGap(live.state, observation.sequence);
    }
    // Re-inserted, so that the map stays in order of when each was last heard of.
    this.#live.delete(observation.connectionId);
    this.#live.set(observation.connectionId, live);
    const eldest = this.#live.size > this.#limits.connections ? this.#live.values().next().value : undefined;
    if (eldest) this.#evict(eldest, 'connections', nowMs, output);
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
      if (observation.kind === 'connection_opened') this.#inherit(live.state, observation.previousConnectionId);
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
  #inherit(state: ConnectionState, previousId: string | undefined): void {
    const previous = previousId === undefined ? undefined : this.#live.get(previousId);
    const estate = previous ? estateOf(previous) : this.#estates.get(previousId ?? '');
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
    this.#live.delete(live.state.id);
    this.#retire(live.state.id, estateOf(live));
  }

  #retire(id: string, estate: Estate): void {
    this.#estates.delete(id);
    this.#estates.set(id, estate);
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
        const timeMs = evidenceTime(live, nowMs);
        this.#emit(live.state, view, { kind: 'decided', reason: 'evicted', notes: [], limit }, timeMs, output);
      }
    }
    this.#live.delete(live.state.id);
    // Nothing to inherit: what was installed since is not known.
    this.#retire(live.state.id, { closed: false, next: live.sequencer.next, views: [], history: [] });
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
    const verdict = describeVerdict(state, view, judgement, nowMs);
    const key = keyOf(state, verdict);
    if (view.last?.key === key) return;
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
