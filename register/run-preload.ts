// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What `mcp-convergence run` loads into every Node process of the agent, which may be one of another version. Where the hooks
 * of Node 22.15 are missing nothing else is loaded: a module that does not link would end the agent before it starts.
 */

import * as nodeModule from 'node:module';

const endpoint = process.env.MCP_CONVERGENCE_RUN_ENDPOINT;
if (endpoint && typeof nodeModule.registerHooks === 'function') {
  const { observeRun } = await import('./observe-run.ts');
  observeRun(endpoint);
} else if (endpoint) {
  process.emitWarning(
    `Node ${process.versions.node} cannot be observed, 22.15 or later is needed`,
    'McpConvergenceWarning',
  );
}
