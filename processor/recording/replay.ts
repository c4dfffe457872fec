// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Runs the engine over recorded observations with the recording's own time for a clock: between two observations every deadline
 * is kept, and at the end everything is decided as of the newest time. Pure; the same recording gives the same verdicts for ever.
 */

import type { Observation } from '../../semconv/observation.ts';
import { type Counters, createEngine, type Engine, type Limits, type Step } from '../core/index.ts';

export class Replay {
  readonly #engine: Engine;
  #nowMs = Number.NEGATIVE_INFINITY;
  #deadlineMs: number | undefined;

  /** @throws TypeError when a limit is not a usable number. */
  constructor(limits?: Partial<Limits>) {
    this.#engine = createEngine(limits);
  }

  /** What was said up to this observation, and because of it. */
  observe(observation: Observation): readonly Step[] {
    const { timeMs } = observation;
    const steps: Step[] = [];
    while (this.#deadlineMs !== undefined && this.#deadlineMs <= timeMs) {
      const dueMs: number = this.#deadlineMs;
      this.#nowMs = Math.max(this.#nowMs, dueMs);
      steps.push(this.#keep(this.#engine.advance(this.#nowMs)));
      if (this.#deadlineMs === dueMs) break;
    }
    this.#nowMs = Math.max(this.#nowMs, timeMs);
    steps.push(this.#keep(this.#engine.observe(observation, this.#nowMs)));
    return steps;
  }

  /** What is left to be said when nothing follows. */
  end(): Step {
    return this.#engine.end(this.#nowMs);
  }

  counters(): Counters {
    return this.#engine.counters();
  }

  #keep(step: Step): Step {
    this.#deadlineMs = step.deadlineMs;
    return step;
  }
}
