// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The front end inside the instrumented process: takes observations off the diagnostics channel, so it works whatever is
 * sampled. At most one per process, also when two copies of this package are loaded.
 */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { OBSERVATION_CHANNEL, type Observation } from '../semconv/observation.ts';
import { EngineRunner, type EngineRunnerConfig } from './engine-runner.ts';

const ACTIVE = Symbol.for('mcp-convergence.in-process.1');

interface Holder {
  [ACTIVE]?: InProcessVerdicts | undefined;
}

export interface InProcessVerdicts {
  /** Whether anything was observed so far. A process without MCP has nothing to flush. */
  readonly observed: boolean;
  /** Decides what is pending and takes no more observations. Synchronous. */
  end(): void;
}

/** Whether verdicts are given inside this process, by whichever copy of the package. */
export function hasInProcessVerdicts(): boolean {
  return (globalThis as Holder)[ACTIVE] !== undefined;
}

/** Starts it, or returns the one that runs. @throws TypeError when a limit is not a usable number. */
export function startInProcessVerdicts(config: EngineRunnerConfig = {}): InProcessVerdicts {
  const holder = globalThis as Holder;
  if (holder[ACTIVE]) return holder[ACTIVE];
  const runner = new EngineRunner(config);
  let observed = false;
  const listen = (message: unknown) => {
    observed = true;
    runner.observe(message as Observation);
  };
  subscribe(OBSERVATION_CHANNEL, listen);
  const active: InProcessVerdicts = {
    get observed() {
      return observed;
    },
    end() {
      if (holder[ACTIVE] !== active) return;
      unsubscribe(OBSERVATION_CHANNEL, listen);
      holder[ACTIVE] = undefined;
      runner.end();
    },
  };
  holder[ACTIVE] = active;
  return active;
}
