// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * `mcp-convergence/register`: loaded with `--import` or `--require`, patches MCP clients and gives verdicts through whatever
 * OpenTelemetry SDK the app registers, before or after. Starts no SDK of its own.
 */

import { compose } from './compose.ts';
import { readEnvironment } from './environment.ts';
import { flushGlobal } from './flush-global.ts';
import { onProcessEnd } from './process-end.ts';

const environment = readEnvironment();
const composition = environment.disabled ? undefined : compose(environment);
if (composition) {
  onProcessEnd({
    finish: () => composition.finish(),
    // The SDK is the app's: it is asked to flush when there is something of ours in it, and never shut down.
    flush: async () => {
      if (composition.observed) await flushGlobal();
    },
  });
}
