// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Builds a Go program that a suite needs, once per set of pins, into the cache that `cached-install.ts` describes. */

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fillOnce } from './cached-install.ts';

const run = promisify(execFile);

const ENV = {
  ...process.env,
  // Exactly what go.sum names, by the Go that is here: nothing is resolved anew, and no other Go is downloaded.
  GOFLAGS: '-mod=readonly',
  GOTOOLCHAIN: 'local',
  GOWORK: 'off',
  // No C compiler is asked for, and the machine's libraries do not matter.
  CGO_ENABLED: '0',
};

/** Why the module cannot be built here, or false: there is no Go, or none as new as its go.mod asks for. */
export async function lacksGo(module: string): Promise<string | false> {
  const [, needed = ''] = /^go (\S+)$/m.exec(await readFile(join(module, 'go.mod'), 'utf8')) ?? [];
  const found = await run('go', ['env', 'GOVERSION'], { env: ENV }).then(
    ({ stdout }) => stdout.trim().replace(/^go/, ''),
    () => undefined,
  );
  if (found === undefined) return `no Go on this machine; Go ${needed} or later is needed`;
  const isOlder = found.localeCompare(needed, 'en', { numeric: true }) < 0;
  return isOlder ? `Go ${needed} or later is needed; this machine has ${found}` : false;
}

/**
 * @param module folder with `main.go`, `go.mod` and `go.sum`
 * @returns the program; the first time this takes minutes
 */
export async function buildPinned(module: string): Promise<string> {
  const folder = await fillOnce(module, ['go.mod', 'go.sum', 'main.go'], (filling) =>
    // Without symbols it is a third smaller.
    run('go', ['build', '-trimpath', '-buildvcs=false', '-ldflags=-s -w', '-o', 'program', '.'], {
      cwd: filling,
      env: ENV,
      maxBuffer: 64 * 1024 * 1024,
    }),
  );
  return join(folder, 'program');
}
