// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The packed package in projects of other people: beside each OpenTelemetry line, where it must bind to the application's own
 * `@opentelemetry/api` and bring no second one, and beside none, where `mcp-convergence run` must do with what it brings.
 */

import assert from 'node:assert/strict';
import { cp, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { CELLS, runCell } from '../matrix/cell.ts';
import { installPinned, ROOT } from '../support/cached-install.ts';
import { installBeside, pack } from '../support/packed.ts';
import { runProgram } from '../support/run-program.ts';

const PROGRAMS = join(ROOT, 'test/matrix/programs');
const ENTRY_POINTS = ['register', 'register-sdk', 'instrumentation', 'processor', 'semconv'];

let tarball = '';

before(async () => {
  tarball = await pack();
});

async function install(pins: string): Promise<string> {
  const project = await installBeside(await installPinned(pins), tarball);
  await cp(PROGRAMS, join(project, 'programs'), { recursive: true });
  return project;
}

async function versionsOf(project: string, name: string): Promise<string[]> {
  const files = await readdir(join(project, 'node_modules'), { recursive: true });
  const manifests = files.filter(
    (file) => file === `${name}/package.json` || file.endsWith(`node_modules/${name}/package.json`),
  );
  return Promise.all(
    manifests.map(async (file) => JSON.parse(await readFile(join(project, 'node_modules', file), 'utf8')).version),
  );
}

for (const { line, pins, api } of [
  { line: 'OpenTelemetry 2.x', pins: 'otel-2', api: '1.9.1' },
  { line: 'OpenTelemetry 3.x', pins: 'otel-3', api: '1.10.0' },
]) {
  describe(`beside ${line}`, () => {
    let project = '';

    before(async () => {
      project = await install(join(ROOT, 'test/matrix', pins));
    });

    it('leaves the application its one API', async () => {
      assert.deepEqual(await versionsOf(project, '@opentelemetry/api'), [api]);
    });

    it('gives an ESM and a CommonJS application spans and a verdict on its own SDK', async () => {
      for (const cell of CELLS) await runCell(cell, project, join(project, 'programs'));
    });

    itLoadsEveryEntryPoint(() => project);
  });
}

describe('beside nothing', () => {
  let project = '';

  before(async () => {
    project = await install(join(import.meta.dirname, 'nothing'));
  });

  it('gives a verdict through `mcp-convergence run`', async () => {
    const file = join(project, 'verdicts.jsonl');
    const agent = join(project, 'programs/use-v1.mjs');
    const server = [
      process.execPath,
      join(ROOT, 'test/servers/raw.mjs'),
      JSON.stringify({ pages: [{ tools: ['alpha'] }] }),
    ];
    const bin = join(project, 'node_modules/.bin/mcp-convergence');
    const ended = await runProgram([bin, 'run', '--json', file, '--', process.execPath, agent, ...server], {
      cwd: project,
    });
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(ended.stdout, 'alpha\n');
    const verdicts = (await readFile(file, 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    assert.equal(verdicts.at(-1)?.['mcp_convergence.verdict'], 'converged');
  });

  it('stays small', async () => {
    const folder = join(project, 'node_modules/mcp-convergence');
    const files = await readdir(folder, { recursive: true });
    const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size));
    const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6;
    assert.ok(megabytes < 4, `${megabytes} MB`);
  });

  itLoadsEveryEntryPoint(() => project, ['register-sdk']);
});

/** @param needsMore entry points that need packages of the application's, and must say so instead of failing obscurely */
function itLoadsEveryEntryPoint(project: () => string, needsMore: readonly string[] = []): void {
  for (const entry of ENTRY_POINTS.filter((one) => !needsMore.includes(one))) {
    it(`loads ${entry} by import and by require`, async () => {
      for (const code of [
        ['--input-type=module', '-e', `await import('mcp-convergence/${entry}')`],
        ['--input-type=commonjs', '-e', `require('mcp-convergence/${entry}')`],
      ]) {
        const env = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' };
        const ended = await runProgram(code, { cwd: project(), env });
        assert.deepEqual(ended, { code: 0, stdout: '', stderr: '' });
      }
    });
  }
}
