// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** `mcp-convergence replay`, as built, over recordings of cases and of a real run. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../support/cached-install.ts';
import { CASES_FOLDER, readCases } from '../support/case-files.ts';
import { makeScratch } from '../support/scratch.ts';
import { AGENT, writeProgram } from '../support/small-agent.ts';

const CLI = join(ROOT, 'dist/processor/cli/main.mjs');
const recording = (name: string): string => join(CASES_FOLDER, name, 'observations.jsonl');
const CONVERGED = recording('digest/tool-order-shuffled');
const STALE = recording('german-article/same-name-other-required-input');
const INCOMPLETE = recording('german-article/page-one-with-a-cursor-left');
const UNVERIFIABLE = recording('coverage/standalone-stream-disabled');

function mcpConvergence(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  return { code: status, stdout, stderr };
}

function written(text: string, name = 'recording.jsonl'): string {
  const file = join(makeScratch(), name);
  writeFileSync(file, text);
  return file;
}

describe('replay', () => {
  for (const [title, files, code] of [
    ['0 when all converged', [CONVERGED], 0],
    ['1 when anything is stale', [CONVERGED, STALE], 1],
    ['1 when anything is incomplete, whatever else is unverifiable', [UNVERIFIABLE, INCOMPLETE], 1],
    ['2 when anything is unverifiable', [CONVERGED, UNVERIFIABLE], 2],
    ['2 when nothing was said at all', [recording('ends/nothing-happened')], 2],
  ] as const) {
    it(`ends with ${title}`, () => {
      // Two cases have a connection of the same name; told apart, they are two connections.
      const apart = files.map((file, i) => written(readFileSync(file, 'utf8').replaceAll('"c1', `"case-${i}`)));
      const { code: actual, stderr } = mcpConvergence('replay', ...apart);
      assert.deepEqual({ code: actual, stderr }, { code, stderr: '' });
    });
  }

  it('prints a table with digests, changes and a summary', () => {
    const { stdout } = mcpConvergence('replay', STALE);
    const [head, line, first, second, , summary] = stdout.split('\n');
    assert.match(
      head ?? '',
      /^time +connection +server +layer +verdict +reason +discovered +installed +changes, notes$/,
    );
    assert.match(line ?? '', /^-+( {2}-+){8}$/);
    assert.match(
      first ?? '',
      /^2026-11-30T00:00:00\.\d{3}Z {2}c1 +srv +installed +converged +registry_equal +([0-9a-f]{12}) +\1 +-$/,
    );
    assert.match(second ?? '', /stale +definition_changed +[0-9a-f]{12} +[0-9a-f]{12} +~read_ticket$/);
    assert.equal(summary, '1 converged, 1 stale on 1 connection');
  });

  it('prints with --json what run --json prints', () => {
    const { stdout, code } = mcpConvergence('replay', '--json', STALE);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(code, 1);
    assert.deepEqual(
      lines.map((line) => line['mcp_convergence.reason']),
      ['registry_equal', 'definition_changed'],
    );
    assert.deepEqual(lines[1]['mcp_convergence.tools.changed'], ['read_ticket']);
    assert.ok(!Number.isNaN(Date.parse(lines[1].time)));
  });

  it('keeps the limits that it is given', () => {
    const one = readCases().find(({ name }) => name === 'within-grace-nothing-is-said');
    assert.equal(mcpConvergence('replay', join(one?.folder ?? '', 'observations.jsonl')).code, 0);
    assert.equal(mcpConvergence('replay', '--grace', '1000', join(one?.folder ?? '', 'observations.jsonl')).code, 1);
  });

  const good = readFileSync(CONVERGED, 'utf8');
  const line = good.split('\n')[0] ?? '';
  const span = (attributes: object) =>
    JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ name: 'tools/list', attributes }] }] }] });
  for (const [title, text, at, message] of [
    ['a line that is cut short', `${good}{"kind":"sig`, ':8: no JSON: ', 'Unterminated string'],
    ['a line of something else', `${line}\n\n{"kind":"weather"}\n`, ':3: no observation: ', 'kind must be one of'],
    [
      'a member that is missing',
      `${line.replace('"transport":"stdio"', '"x":1')}\n`,
      ':1: no observation: ',
      'transport is missing',
    ],
    [
      'a member of another type',
      `${line.replace('"sequence":1', '"sequence":"1"')}\n`,
      ':1: ',
      'sequence must be a whole number',
    ],
    ['a list', '[1,2]\n', ':1: no observation: ', 'it must be an object'],
    ['nothing', '', ':1: ', 'ends without an observation'],
    [
      'telemetry of others',
      `${span([{ key: 'a', value: { intValue: '1' } }])}\n`,
      ':1: ',
      'ends without an observation',
    ],
    [
      'a span whose attributes were cut',
      `${good}${span([{ key: 'mcp_convergence.observation.kind', value: { stringValue: 'signal' } }])}\n`,
      ':8: ',
      'span "tools/list" carries an observation with attributes missing or cut short',
    ],
    ['a document that does not end', '{\n"resourceSpans": [\n', ':1: no JSON: ', ''],
  ] as const) {
    it(`ends with 3 at ${title}, naming file, line and fault, and prints no verdict`, () => {
      const file = written(text);
      const { code, stdout, stderr } = mcpConvergence('replay', CONVERGED, file);
      assert.deepEqual({ code, stdout }, { code: 3, stdout: '' });
      assert.ok(stderr.startsWith(`mcp-convergence: ${file}${at}`) && stderr.includes(message), stderr);
    });
  }

  it('ends with 3 when a file cannot be opened', () => {
    for (const file of [join(makeScratch(), 'none.jsonl'), makeScratch()]) {
      const { code, stderr } = mcpConvergence('replay', file);
      assert.equal(code, 3);
      assert.match(stderr, new RegExp(`${file}: E(NOENT|ISDIR)`));
    }
  });

  it('reads a byte order mark, lines that end as on Windows, and other signals in between', () => {
    const file = written(`\uFEFF${good.trimEnd().split('\n').join('\r\n{"resourceLogs":[]}\r\n')}`);
    assert.equal(mcpConvergence('replay', file).code, 0);
  });

  it('takes only line feeds for the end of a line, whatever else a string holds and however long the line is', () => {
    const text = { stringValue: `a\u2028b\u2029c\u0085d${'\u00e9'.repeat(200_000)}` };
    const file = written(`${span([{ key: 'a', value: text }])}\n${good}`);
    assert.deepEqual(mcpConvergence('replay', file), mcpConvergence('replay', CONVERGED));
    const cut = mcpConvergence('replay', written(`${span([{ key: 'a', value: text }])}\n${good}{`));
    assert.match(cut.stderr, /recording\.jsonl:9: no JSON: /);
  });

  it('is refused without a file, and with an option that it does not know', () => {
    for (const args of [['replay'], ['replay', '--loud', STALE], ['replay', '--grace', 'soon', STALE]]) {
      const { code, stdout, stderr } = mcpConvergence(...args);
      assert.deepEqual({ code, stdout }, { code: 64, stdout: '' });
      assert.match(stderr, /Usage:/);
    }
  });
});

describe('a run that is recorded', () => {
  for (const [title, ending, code] of [
    ['that closes its connection', 'await client.close();', 0],
    ['that calls process.exit right after its work', 'process.exit(5);', 5],
  ] as const) {
    it(`by an agent ${title} replays to the verdicts that were emitted`, () => {
      const folder = makeScratch();
      const [events, observations] = [join(folder, 'events.jsonl'), join(folder, 'observations.jsonl')];
      const agent = writeProgram(`${AGENT}\nawait change();\nawait sleep(400);\n${ending}`);
      const options = ['--grace', '200', '--json', events, '--record', observations];
      const run = mcpConvergence('run', ...options, '--', process.execPath, agent);
      assert.equal(run.code, code, run.stderr);
      const replayed = mcpConvergence('replay', '--json', '--grace', '200', observations);
      assert.equal(replayed.code, 1, replayed.stderr);
      const verdicts = (text: string) =>
        text
          .trim()
          .split('\n')
          .map((each) => JSON.parse(each));
      assert.deepEqual(verdicts(replayed.stdout), verdicts(readFileSync(events, 'utf8')));
      assert.deepEqual(
        verdicts(replayed.stdout).map((each) => each['mcp_convergence.reason']),
        ['registry_equal', 'signal_unanswered'],
      );
    });
  }

  it('is not started when the recording cannot be written', () => {
    const { code, stdout, stderr } = mcpConvergence(
      'run',
      '--record',
      '/no/such/dir/file',
      '--',
      process.execPath,
      '-p',
      '1',
    );
    assert.deepEqual({ code, stdout }, { code: 64, stdout: '' });
    assert.match(stderr, /--record: ENOENT/);
  });
});
