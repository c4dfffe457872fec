// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Instrumentation and in-process verdicts put together: what all entry points have in common. */

import type { TextMapPropagator } from '@opentelemetry/api';
import { McpInstrumentation } from '../instrumentation/index.ts';
import { startInProcessVerdicts } from '../processor/in-process.ts';
import type { Providers } from '../processor/telemetry.ts';
import type { Verdict } from '../semconv/verdict.ts';
import type { EntryEnvironment } from './environment.ts';
import { isFirstInProcess } from './first-in-process.ts';

export interface CompositionOptions {
  /** Instead of the global ones. */
  readonly providers?: Providers;
  readonly propagator?: TextMapPropagator;
  readonly onVerdict?: (verdict: Verdict) => void;
}

export interface Composition {
  /** Whether any MCP was seen; a process without it has nothing to wait for at its end. */
  readonly observed: boolean;
  /** Says of every open connection that it ends, and decides what is pending. Synchronous. */
  finish(): void;
}

/** Undefined when an entry point, of whichever copy of the package, did this in the process before. */
export function compose(
  { limits }: EntryEnvironment,
  { providers = {}, propagator, onVerdict }: CompositionOptions = {},
): Composition | undefined {
  if (!isFirstInProcess('composed.1')) return undefined;
  const verdicts = startInProcessVerdicts({ limits, providers, ...(onVerdict && { onVerdict }) });
  const instrumentation = new McpInstrumentation({ enabled: false, ...(propagator && { propagator }) });
  if (providers.tracerProvider) instrumentation.setTracerProvider(providers.tracerProvider);
  if (providers.meterProvider) instrumentation.setMeterProvider(providers.meterProvider);
  instrumentation.enable();
  return {
    get observed() {
      return verdicts.observed;
    },
    finish() {
      instrumentation.closeConnections();
      verdicts.end();
    },
  };
}
