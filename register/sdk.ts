// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * `mcp-convergence/register-sdk`: register, plus an OpenTelemetry NodeSDK configured by `OTEL_*`, for apps that have none. Only
 * for them: a second SDK of the app's own would fail to register. The SDK packages are optional peers of either line; without
 * them this is register, and says what to install.
 */

import { createRequire } from 'node:module';
import { diag } from '@opentelemetry/api';
import { compose } from './compose.ts';
import { readEnvironment } from './environment.ts';
import { isFirstInProcess } from './first-in-process.ts';
import { flushGlobal, flushTraces } from './flush-global.ts';
import { readDestination } from './otlp-destination.ts';
import { VerdictOutbox } from './outbox.ts';
import { onProcessEnd } from './process-end.ts';

interface Sdk {
  start(): void;
  shutdown(): Promise<void>;
}

interface ExportResult {
  readonly code: number;
}

interface SpanExporter {
  export(
    spans: readonly { readonly attributes: Record<string, unknown> }[],
    done: (result: ExportResult) => void,
  ): void;
}

const SUCCESS = 0;

const environment = readEnvironment();
if (!environment.disabled && isFirstInProcess('sdk.1')) start();

function start(): void {
  const outbox = new VerdictOutbox();
  const sdk = createSdk(outbox);
  // Before the instrumentation, so that its first instruments are real ones.
  sdk?.start();
  // Undefined beside `register` or under `run`: verdicts are given there, and the SDK is still ours to end.
  const composition = compose(environment, sdk ? { onVerdict: (verdict) => outbox.add(verdict) } : {});
  onProcessEnd({
    finish: () => composition?.finish(),
    flush: flushGlobal,
    shutdown: async () => {
      // A process that spoke no MCP, such as npm under NODE_OPTIONS, is not held up for metrics at zero, only for spans.
      if (composition && !composition.observed) return flushTraces();
      await sdk?.shutdown().then(
        () => outbox.clear(),
        () => {},
      );
    },
    flushSync: () => outbox.postSync(readDestination(process.env)),
  });
}

function createSdk(outbox: VerdictOutbox): Sdk | undefined {
  const require = createRequire(import.meta.url);
  try {
    const { NodeSDK } = require('@opentelemetry/sdk-node') as { NodeSDK: new (config: object) => Sdk };
    if (!exportsTracesAsJson(process.env)) return new NodeSDK({ instrumentations: [] });
    const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-http') as {
      OTLPTraceExporter: new () => SpanExporter;
    };
    return new NodeSDK({ instrumentations: [], traceExporter: acknowledging(new OTLPTraceExporter(), outbox) });
  } catch (error) {
    const hint = 'npm install @opentelemetry/sdk-node @opentelemetry/exporter-trace-otlp-http';
    process.emitWarning(
      `register-sdk found no usable OpenTelemetry SDK, nothing is exported: ${hint}`,
      'McpConvergenceWarning',
    );
    diag.warn('mcp-convergence: register-sdk could not start an SDK', error);
    return undefined;
  }
}

/** Everything else that `OTEL_TRACES_EXPORTER` and the protocol variables can ask for is left to NodeSDK. */
function exportsTracesAsJson(env: NodeJS.ProcessEnv): boolean {
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/json';
  return (env.OTEL_TRACES_EXPORTER || 'otlp').trim() === 'otlp' && protocol === 'http/json';
}

/** Tells the outbox of batches that the collector took. */
function acknowledging(exporter: SpanExporter, outbox: VerdictOutbox): SpanExporter {
  const original = exporter.export.bind(exporter);
  exporter.export = (spans, done) =>
    original(spans, (result) => {
      if (result.code === SUCCESS) outbox.sent(spans);
      done(result);
    });
  return exporter;
}
