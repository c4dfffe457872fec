// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Preload: `register`, and at the end of the process the number of spans of MCP messages appended to MCP_TEST_MESSAGES. */

import { appendFileSync } from 'node:fs';
import { trace } from '@opentelemetry/api';
import { TracerProvider } from '@opentelemetry/sdk-trace';

let messages = 0;
trace.setGlobalTracerProvider(
  new TracerProvider({
    spanProcessors: [
      {
        onStart: () => {},
        onEnd: ({ attributes }) => {
          if (attributes['mcp.method.name'] !== undefined) messages++;
        },
        forceFlush: async () => {},
        shutdown: async () => {},
      },
    ],
  }),
);
await import('mcp-convergence/register');
process.on('exit', () => appendFileSync(process.env.MCP_TEST_MESSAGES, `${messages}\n`));
