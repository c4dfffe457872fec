// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The environment variables of the entry points, read once. Forgiving: what cannot be used is reported and ignored. */

import { diag } from '@opentelemetry/api';
import type { Limits } from '../processor/core/index.ts';

export interface EntryEnvironment {
  /** `OTEL_SDK_DISABLED` or `MCP_CONVERGENCE_DISABLED` is `true`: nothing is patched. */
  readonly disabled: boolean;
  /** `MCP_CONVERGENCE_GRACE_MS`, 0 to 3 600 000. */
  readonly limits: Partial<Limits>;
}

const MAX_GRACE_MS = 3_600_000;

export function readEnvironment(env: NodeJS.ProcessEnv = process.env): EntryEnvironment {
  return {
    disabled: isTrue(env, 'OTEL_SDK_DISABLED') || isTrue(env, 'MCP_CONVERGENCE_DISABLED'),
    limits: readGrace(env),
  };
}

/** As the OpenTelemetry specification reads booleans: `true` in any case is true, everything else is false. */
function isTrue(env: NodeJS.ProcessEnv, name: string): boolean {
  const text = env[name]?.trim().toLowerCase();
  if (text && text !== 'true' && text !== 'false') diag.warn(`mcp-convergence: ${name}=${env[name]} is read as false`);
  return text === 'true';
}

function readGrace(env: NodeJS.ProcessEnv): Partial<Limits> {
  const text = env.MCP_CONVERGENCE_GRACE_MS?.trim();
  if (!text) return {};
  const graceMs = Number(text);
  if (Number.isFinite(graceMs) && graceMs >= 0 && graceMs <= MAX_GRACE_MS) return { graceMs };
  diag.warn(`mcp-convergence: ignoring MCP_CONVERGENCE_GRACE_MS=${text}`);
  return {};
}
