// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Installs what a heavy suite needs, once per set of pins and outside the repository, so that `npm ci` stays light.
 *
 * A suite keeps its pins in a folder of its own: `package.json` and `package-lock.json`, or a Go module. The folder in the cache
 * is named after their hash, and appears whole or not at all: it is filled under another name and then renamed.
 */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeScratch } from './scratch.ts';

const run = promisify(execFile);

/** Where every suite's packages live. */
export const CACHE: string = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'mcp-convergence');

/**
 * @param pins folder with `package.json` and `package-lock.json`
 * @returns a folder with the `node_modules` they describe
 */
export async function installPinned(pins: string): Promise<string> {
  return fillOnce(pins, ['package.json', 'package-lock.json'], (filling) => npm(filling, 'ci'));
}

/**
 * @param pins folder with the files that decide what there will be
 * @param fill makes it of copies of those files, in the folder that it is given
 * @returns a folder that `fill` has filled, now or on an earlier day
 */
export async function fillOnce(
  pins: string,
  names: readonly string[],
  fill: (filling: string) => Promise<unknown>,
): Promise<string> {
  const files = names.map((name) => join(pins, name));
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`);
  for (const file of files) hash.update(await readFile(file));
  const target = join(CACHE, `${basename(pins)}-${hash.digest('hex').slice(0, 16)}`);
  if (await exists(target)) return target;
  await mkdir(CACHE, { recursive: true });
  const filling = await mkdtemp(`${target}.`);
  try {
    for (const file of files) await cp(file, join(filling, basename(file)));
    await fill(filling);
    await rename(filling, target).catch(async (error: unknown) => {
      // Another suite with the same pins was faster.
      if (!(await exists(target))) throw error;
    });
  } finally {
    await rm(filling, { recursive: true, force: true });
  }
  return target;
}

/**
 * A fresh folder whose `node_modules` are those of `installed`, for programs that must resolve their imports there.
 *
 * @param programs files to copy into it
 */
export async function projectBeside(installed: string, programs: readonly string[]): Promise<string> {
  const project = makeScratch();
  await symlink(join(installed, 'node_modules'), join(project, 'node_modules'));
  for (const program of programs) await cp(program, join(project, basename(program)));
  return project;
}

/** npm by the running node, with nothing of the npm script that may have started us in its environment. */
export async function npm(cwd: string, ...args: readonly string[]): Promise<string> {
  const own = /^(npm_(?!config_)|npm_config_local_prefix$|NODE_OPTIONS$)/i;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--omit-lockfile-registry-resolved'];
  const { stdout } = await run('npm', [...args, ...flags], { cwd, env, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Folder of the checkout. */
export const ROOT: string = dirname(dirname(import.meta.dirname));
