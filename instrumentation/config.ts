// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Options and environment to one resolved config, read once. Code is held to its types; the environment is forgiven. */

import { diag, type TextMapPropagator } from '@opentelemetry/api';

export type Propagation = 'all' | 'calls' | 'off';

export interface McpInstrumentationConfig {
  /** Start patching at construction. @default true */
  enabled?: boolean;
  /**
   * Which outgoing messages get the W3C trace context in `params._meta`: all of them (the convention), only requests
   * that do work (`tools/call`, `prompts/get`, `resources/read`), or none. Keys the app set are never overwritten.
   * Env: `MCP_CONVERGENCE_PROPAGATION`. @default 'all'
   */
  propagation?: Propagation;
  /**
   * Milliseconds without a further page after which a walk with a cursor left counts as abandoned, 1 to 3 600 000.
   * Env: `MCP_CONVERGENCE_TRAVERSAL_TIMEOUT_MS`. @default 5000
   */
  traversalTimeoutMs?: number;
  /** Used instead of the globally registered propagator. */
  propagator?: TextMapPropagator;
}

export interface ResolvedConfig {
  readonly enabled: boolean;
  readonly propagation: Propagation;
  readonly traversalTimeoutMs: number;
  readonly propagator: TextMapPropagator | undefined;
}

const DEFAULT_TRAVERSAL_TIMEOUT_MS = 5000;
const MAX_TRAVERSAL_TIMEOUT_MS = 3_600_000;
const PROPAGATIONS: readonly string[] = ['all', 'calls', 'off'] satisfies Propagation[];

function isPropagation(value: unknown): value is Propagation {
  return typeof value === 'string' && PROPAGATIONS.includes(value);
}

function isTimeout(value: unknown): value is number {
  return typeof value === 'number' && value >= 1 && value <= MAX_TRAVERSAL_TIMEOUT_MS;
}

/** Unset and empty are the same; a value that cannot be used is reported and ignored. */
function readEnv<T>(env: NodeJS.ProcessEnv, name: string, parse: (text: string) => T | undefined): T | undefined {
  const text = env[name]?.trim();
  if (!text) return undefined;
  const value = parse(text);
  if (value === undefined) diag.warn(`mcp-convergence: ignoring ${name}=${text}`);
  return value;
}

/** @throws TypeError when an option given in code has no meaning. */
export function resolveConfig(
  config: McpInstrumentationConfig = {},
  env: NodeJS.ProcessEnv = process.env,
): ResolvedConfig {
  if (config.propagation !== undefined && !isPropagation(config.propagation)) {
    throw new TypeError(`propagation must be one of ${PROPAGATIONS.join(', ')}`);
  }
  if (config.traversalTimeoutMs !== undefined && !isTimeout(config.traversalTimeoutMs)) {
    throw new TypeError(`traversalTimeoutMs must be a number from 1 to ${MAX_TRAVERSAL_TIMEOUT_MS}`);
  }
  const propagation = readEnv(env, 'MCP_CONVERGENCE_PROPAGATION', (text) => (isPropagation(text) ? text : undefined));
  const timeout = readEnv(env, 'MCP_CONVERGENCE_TRAVERSAL_TIMEOUT_MS', (text) =>
    isTimeout(Number(text)) ? Number(text) : undefined,
  );
  return {
    enabled: config.enabled ?? true,
    propagation: config.propagation ?? propagation ?? 'all',
    traversalTimeoutMs: config.traversalTimeoutMs ?? timeout ?? DEFAULT_TRAVERSAL_TIMEOUT_MS,
    propagator: config.propagator,
  };
}
