// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The OpenTelemetry API as verdicts need it: tracer, meter and logger, from the providers given or from the global API. The
 * logs API is probed at run time: SDK 3 has it in `@opentelemetry/api` 1.10, SDK 2 in `@opentelemetry/api-logs`, each under
 * a global of its own, so the wrong one would be silent.
 */

import { createRequire } from 'node:module';
import * as api from '@opentelemetry/api';
import { SCOPE_NAME, SCOPE_VERSION } from '../semconv/scope.ts';

/** The members of a log record that both API lines agree on. */
export interface EventRecord {
  readonly eventName: string;
  readonly timestamp: api.HrTime;
  readonly severityNumber: number;
  readonly attributes: Readonly<Record<string, string | number | boolean | string[]>>;
  readonly context: api.Context;
}

export interface EventLogger {
  emit(record: EventRecord): void;
}

export interface EventLoggerProvider {
  getLogger(name: string, version?: string): EventLogger;
}

/** Providers used instead of the globally registered ones. */
export interface Providers {
  readonly tracerProvider?: api.TracerProvider;
  readonly meterProvider?: api.MeterProvider;
  readonly loggerProvider?: EventLoggerProvider;
}

/** What is needed of either logs API. */
export interface LogsApi {
  getLoggerProvider(): EventLoggerProvider;
}

const SILENT: LogsApi = { getLoggerProvider: () => ({ getLogger: () => ({ emit: () => {} }) }) };

/** The logs API that an SDK of the app would register with. Silent when the app has none. */
export function findLogsApi(): LogsApi {
  const inApi = (api as { logs?: LogsApi }).logs;
  if (inApi) return inApi;
  try {
    const require = createRequire(import.meta.url);
    return (require('@opentelemetry/api-logs') as { logs: LogsApi }).logs;
  } catch {
    api.diag.info('mcp-convergence: no logs API found, verdicts are emitted as spans and metrics only');
    return SILENT;
  }
}

export class VerdictTelemetry {
  readonly #providers: Providers;
  #logsApi: LogsApi | undefined;

  constructor(providers: Providers = {}) {
    this.#providers = providers;
  }

  tracer(): api.Tracer {
    return (this.#providers.tracerProvider ?? api.trace.getTracerProvider()).getTracer(SCOPE_NAME, SCOPE_VERSION);
  }

  /** Not late-bound by the API: whoever keeps an instrument has to look whether the provider is still the same. */
  meterProvider(): api.MeterProvider {
    return this.#providers.meterProvider ?? api.metrics.getMeterProvider();
  }

  /** Asks for the provider anew each time: where several copies of the logs API are loaded, only the lookup sees a late SDK. */
  logger(): EventLogger {
    this.#logsApi ??= findLogsApi();
    const provider = this.#providers.loggerProvider ?? this.#logsApi.getLoggerProvider();
    return provider.getLogger(SCOPE_NAME, SCOPE_VERSION);
  }
}
