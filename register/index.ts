// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * `mcp-convergence/register`: loaded with `--import` or `--require`, patches MCP clients and gives verdicts through whatever
 * OpenTelemetry SDK the app registers, before or after. Starts no SDK of its own.
 */

import { metrics, trace } from '@opentelemetry/api';
import { compose } from './compose.ts';
import { readEnvironment } from './environment.ts';
import { onProcessEnd } from './process-end.ts';

const environment = readEnvironment();
const composition = environment.disabled ? undefined : compose(environment);
if (composition) onProcessEnd({ finish: () => composition.finish(), flush: flushGlobal });

interface Flushable {
  forceFlush?(): Promise<void>;
  getDelegate?(): Flushable;
}

/** The app owns its SDK; it is asked to flush, and never shut down. */
async function flushGlobal(): Promise<void> {
  const providers = [trace.getTracerProvider(), metrics.getMeterProvider()] as Flushable[];
  await Promise.allSettled(providers.map((provider) => (provider.getDelegate?.() ?? provider).forceFlush?.()));
}
