// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Runs an application with `register-sdk` of the built package preloaded, and gives back what it exported: the spans, and the
 * verdict events in the order in which they were made. The application ends before this returns.
 */

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as name from '../../semconv/names.ts';
import { ROOT } from './cached-install.ts';
import { type Attributes, type SinkSpan, startOtlpSink } from './otlp-sink.ts';
import { type Ended, type RunOptions, runProgram } from './run-program.ts';

export interface ObservedRun extends Ended {
  readonly spans: readonly SinkSpan[];
  readonly verdicts: readonly Attributes[];
  /** Attributes of the spans that carry an observation of this kind, in order of their connection's sequence. */
  of(kind: string): Attributes[];
  /** `verdict/reason` of each verdict event. */
  readonly judged: readonly string[];
}

const REGISTER_SDK = pathToFileURL(join(ROOT, 'dist/register-sdk.mjs')).href;

/** Long enough for a refresh over loopback, short enough to wait for. */
export const GRACE_MS = 500;

export async function runObserved(command: readonly string[], options: RunOptions = {}): Promise<ObservedRun> {
  const sink = await startOtlpSink();
  try {
    const ended = await runProgram(command, {
      ...options,
      nodeFlags: ['--import', REGISTER_SDK, ...(options.nodeFlags ?? [])],
      env: { ...sink.env, MCP_CONVERGENCE_GRACE_MS: String(GRACE_MS), ...options.env },
    });
    const verdicts = sink.logs.filter((log) => log.eventName === name.EVENT_MCP_CONVERGENCE_VERDICT);
    const attributes = verdicts.map((log) => log.attributes);
    return {
      ...ended,
      spans: sink.spans,
      verdicts: attributes,
      judged: attributes.map(
        (verdict) => `${verdict[name.ATTR_MCP_CONVERGENCE_VERDICT]}/${verdict[name.ATTR_MCP_CONVERGENCE_REASON]}`,
      ),
      of: (kind) =>
        sink.spans
          .map((span) => span.attributes)
          .filter((one) => one[name.ATTR_MCP_CONVERGENCE_OBSERVATION_KIND] === kind)
          .sort(
            (a, b) => Number(a[name.ATTR_MCP_CONVERGENCE_SEQUENCE]) - Number(b[name.ATTR_MCP_CONVERGENCE_SEQUENCE]),
          ),
    };
  } finally {
    await sink.close();
  }
}
