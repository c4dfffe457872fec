// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * One cell of the matrix: an application of one module system on one SDK major, with an OpenTelemetry SDK of its own and our
 * `register`, in a project folder. Shared by the full matrix and by its row in `npm test`.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import * as name from '../../semconv/names.ts';
import { ROOT } from '../support/cached-install.ts';
import { startOtlpSink } from '../support/otlp-sink.ts';
import { runProgram } from '../support/run-program.ts';

export const CELLS = [
  { system: 'ESM', sdk: 'SDK 1.x', program: 'use-v1.mjs' },
  { system: 'ESM', sdk: 'SDK 2.x', program: 'use-v2.mjs' },
  { system: 'CJS', sdk: 'SDK 1.x', program: 'use-v1.cjs' },
  { system: 'CJS', sdk: 'SDK 2.x', program: 'use-v2.cjs' },
] as const;

export type Cell = (typeof CELLS)[number];

const PLAN = { pages: [{ tools: ['alpha', 'beta'] }] };

/**
 * @param project folder in which `mcp-convergence`, the SDKs and `programs` resolve
 * @param programs where the programs are
 */
export async function runCell(
  cell: Cell,
  project: string,
  programs: string,
  node: string = process.execPath,
): Promise<void> {
  const preload = cell.system === 'ESM' ? '--import' : '--require';
  const ownSdk = join(programs, cell.system === 'ESM' ? 'own-sdk.mjs' : 'own-sdk.cjs');
  const sink = await startOtlpSink();
  try {
    const ended = await runProgram(
      [join(programs, cell.program), process.execPath, join(ROOT, 'test/servers/raw.mjs'), JSON.stringify(PLAN)],
      { node, cwd: project, nodeFlags: [preload, ownSdk, preload, 'mcp-convergence/register'], env: sink.env },
    );
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(ended.stdout, 'alpha,beta\n');
    // A warning here is one that every user would read in every process.
    assert.equal(ended.stderr, '');
    const names = sink.spans.map((span) => span.name);
    for (const expected of ['initialize', 'tools/list', name.SPAN_MCP_CONVERGENCE_TRAVERSAL]) {
      assert.ok(names.includes(expected), `no ${expected} span among ${names}`);
    }
    const verdicts = sink.logs.filter((log) => log.eventName === name.EVENT_MCP_CONVERGENCE_VERDICT);
    assert.deepEqual(
      verdicts.map((verdict) => verdict.attributes[name.ATTR_MCP_CONVERGENCE_VERDICT]),
      ['converged'],
    );
    assert.ok(sink.metricNames.has(name.METRIC_MCP_CONVERGENCE_VERDICTS));
  } finally {
    await sink.close();
  }
}
