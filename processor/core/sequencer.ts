// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Puts the observations of one connection into order of sequence: drops duplicates, holds back what comes early, and gives up
 * on what does not come within the window. Pure; a front end inside the process is always in order and never waits.
 */

import type { Observation } from '../../semconv/observation.ts';
import type { Limits } from './limits.ts';

/** No connection loses this many observations at once; a number beyond would make every honest one a duplicate. */
const MAX_AHEAD = 10_000_000;

export type Ordered =
  | { readonly kind: 'observation'; readonly observation: Observation }
  | { readonly kind: 'gap'; readonly beforeSequence: number };

export class Sequencer {
  #next: number;
  readonly #held = new Map<number, { readonly observation: Observation; readonly sinceMs: number }>();

  /** `next`: the first number to expect; not 1 where an earlier part of the connection was dropped. */
  constructor(next = 1) {
    this.#next = next;
  }

  /** The number that comes next; everything below has been passed on or given up. */
  get next(): number {
    return this.#next;
  }

  /** What waits for an earlier number, in no order. */
  *held(): Iterable<Observation> {
    for (const { observation } of this.#held.values()) yield observation;
  }

  /** Undefined when the observation was seen before, or its number makes no sense. */
  accept(observation: Observation, nowMs: number, limits: Limits): readonly Ordered[] | undefined {
    const { sequence } = observation;
    if (sequence < this.#next || sequence - this.#next > MAX_AHEAD || this.#held.has(sequence)) return undefined;
    this.#held.set(sequence, { observation, sinceMs: nowMs });
    const ordered = this.#drain();
    return this.#held.size > limits.reorderCount ? [...ordered, ...this.#giveUp()] : ordered;
  }

  /** What the window no longer waits for. */
  expire(nowMs: number, limits: Limits): readonly Ordered[] {
    const ordered: Ordered[] = [];
    for (let due = this.deadline(limits); due !== undefined && due <= nowMs; due = this.deadline(limits))
      ordered.push(...this.#giveUp());
    return ordered;
  }

  /** Everything that is held back, at the end. */
  flush(): readonly Ordered[] {
    const ordered: Ordered[] = [];
    while (this.#held.size > 0) ordered.push(...this.#giveUp());
    return ordered;
  }

  deadline(limits: Limits): number | undefined {
    if (this.#held.size === 0) return undefined;
    return Math.min(...[...this.#held.values()].map(({ sinceMs }) => sinceMs)) + limits.reorderMs;
  }

  #drain(): Ordered[] {
    const ordered: Ordered[] = [];
    for (let held = this.#held.get(this.#next); held; held = this.#held.get(this.#next)) {
      this.#held.delete(this.#next);
      this.#next += 1;
      ordered.push({ kind: 'observation', observation: held.observation });
    }
    return ordered;
  }

  /** Takes the smallest number held for the next one. */
  #giveUp(): readonly Ordered[] {
    if (this.#held.size === 0) return [];
    this.#next = Math.min(...this.#held.keys());
    return [{ kind: 'gap', beforeSequence: this.#next }, ...this.#drain()];
  }
}
