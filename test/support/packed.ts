// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The package as it would be published: packed from the built checkout, and installed where a test wants it. */

import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { npm, ROOT } from './cached-install.ts';
import { makeScratch } from './scratch.ts';

/** Packs what `dist` holds now. @returns path of the tarball */
export async function pack(): Promise<string> {
  const folder = makeScratch();
  const [packed] = JSON.parse(await npm(ROOT, 'pack', '--json', '--ignore-scripts', '--pack-destination', folder));
  return join(folder, packed.filename);
}

/** A copy of an installed project with the tarball added by npm, as a user would add it. @returns its folder */
export async function installBeside(project: string, tarball: string): Promise<string> {
  const copy = makeScratch();
  await cp(project, copy, { recursive: true, verbatimSymlinks: true });
  await npm(copy, 'install', tarball);
  return copy;
}
