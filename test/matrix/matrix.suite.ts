// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Both OpenTelemetry lines on every supported Node major, for both module systems and both SDK majors, against the packed
 * package. The Node binaries come from npm, which has them for Linux; elsewhere only the running Node is used.
 */

import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { installPinned } from '../support/cached-install.ts';
import { installBeside, pack } from '../support/packed.ts';
import { runProgram } from '../support/run-program.ts';
import { CELLS, runCell } from './cell.ts';

const LINES = [
  { line: 'OpenTelemetry 2.x', pins: 'otel-2' },
  { line: 'OpenTelemetry 3.x', pins: 'otel-3' },
];
const MAJORS = process.platform === 'linux' ? ['22', '24', '26'] : [process.versions.node.split('.')[0] ?? ''];

let nodes = '';
let tarball = '';

before(async () => {
  tarball = await pack();
  if (process.platform === 'linux') nodes = await installPinned(join(import.meta.dirname, 'nodes'));
});

const nodeOf = (major: string): string =>
  nodes ? join(nodes, 'node_modules', `node${major}-linux-${process.arch}`, 'bin/node') : process.execPath;

for (const { line, pins } of LINES) {
  describe(line, () => {
    let project = '';

    before(async () => {
      project = await installBeside(await installPinned(join(import.meta.dirname, pins)), tarball);
      await cp(join(import.meta.dirname, 'programs'), join(project, 'programs'), { recursive: true });
    });

    for (const major of MAJORS) {
      describe(`Node ${major}`, () => {
        it('is that Node', async () => {
          const { stdout } = await runProgram(['-p', 'process.versions.node'], { node: nodeOf(major) });
          assert.equal(stdout.split('.')[0], major);
        });

        for (const cell of CELLS) {
          it(`gives spans, a verdict and metrics to an ${cell.system} application on ${cell.sdk}`, () =>
            runCell(cell, project, join(project, 'programs'), nodeOf(major)));
        }
      });
    }
  });
}
