// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The row of the matrix that needs no further install: this Node, the OpenTelemetry line of the devDependencies. */

import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../support/cached-install.ts';
import { CELLS, runCell } from './cell.ts';

const PROGRAMS = join(import.meta.dirname, 'programs');

describe(`Node ${process.versions.node}, OpenTelemetry of the devDependencies`, () => {
  for (const cell of CELLS) {
    it(`gives spans, a verdict and metrics to an ${cell.system} application on ${cell.sdk}`, () =>
      runCell(cell, ROOT, PROGRAMS));
  }
});
