// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The way in where no loader hook reaches: bundled apps, and clients that are not an official SDK. */

import { resolveConfig } from './config.ts';
import { Observer } from './observer.ts';
import { sharedState } from './shared-state.ts';
import { attachTap } from './transport-tap.ts';

/**
 * Listens in on an MCP client transport (any object with `send`, `onmessage`, `onclose` and `close`) and returns it. Call it
 * before the client connects. A transport that is listened in on already, automatically or by hand, stays as it is.
 * Never throws. Spans and metrics go where the enabled `McpInstrumentation` sends them, else to the global OpenTelemetry API.
 */
export function instrumentTransport<T extends object>(transport: T): T {
  const state = sharedState();
  state.observer ??= new Observer(resolveConfig());
  const { observer } = state;
  observer.guard(() => attachTap(observer, transport), undefined);
  return transport;
}
