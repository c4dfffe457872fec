// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Folders for one test process, gone when it ends, however it ends short of a kill. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

/** @param under where to make it; programs whose imports must resolve from the checkout go below it */
export function makeScratch(under: string = tmpdir()): string {
  if (folders.length === 0) {
    process.once('exit', () => {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    });
  }
  const folder = mkdtempSync(join(under, '.mcp-convergence-'));
  folders.push(folder);
  return folder;
}
