// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** What `run` prints and remembers, without a process around it. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RunTally } from '../../processor/cli/run-tally.ts';
import { formatSummary, formatVerdict } from '../../processor/cli/verdict-lines.ts';
import type { PlainLog } from '../../processor/service/decode-otlp-json.ts';
import type { Verdict } from '../../semconv/verdict.ts';
import { encodeVerdict } from '../../semconv/verdict-attributes.ts';

const VERDICT: Verdict = {
  verdict: 'stale',
  reason: 'tool_set_changed',
  layer: 'installed',
  connectionId: 'c',
  timeMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  sequence: 9,
  epoch: { id: 'e', source: 'process' },
  evidence: 'reported',
  recipe: 'tools/1',
  discoveredDigest: 'a'.repeat(64),
  discoveredRevision: 2,
  installedDigest: 'b'.repeat(64),
  installedRevision: 1,
  difference: { added: ['new'], removed: ['old'], changed: ['other'] },
  notes: ['filtered'],
  serverName: 'tickets',
  judged: [],
};

const logOf = (verdict: Verdict): PlainLog => ({
  eventName: 'mcp_convergence.verdict',
  timeMs: verdict.timeMs,
  severityNumber: 13,
  attributes: encodeVerdict(verdict),
  resource: {},
});

describe('a verdict line', () => {
  it('tells time, verdict, reason, server, short digests with revisions, changes, notes, and the next step', () => {
    assert.equal(
      formatVerdict(VERDICT, false),
      'mcp-convergence 03:04:05.678  stale  tool_set_changed  server=tickets  discovered=aaaaaaaaaaaa r2  installed=bbbbbbbbbbbb r1  +new -old ~other  (filtered)\n' +
        '                next: Stop choosing removed tools; re-register from the newest list; verify before repeating.',
    );
  });

  it('shows as escapes what a server puts into names to write on the terminal', () => {
    const line = formatVerdict(
      {
        ...VERDICT,
        serverName: 'x\nmcp-convergence  converged',
        difference: { added: ['\u001b[2K\r'], removed: ['\u009b1A'], changed: ['a\u202eb\u2028c\u200b'] },
      },
      false,
    );
    assert.equal(line.split('\n').length, 2, 'one line, and one for the next step');
    assert.match(line, /server=x\\u\{a\}mcp-convergence {2}converged/);
    assert.match(line, /\+\\u\{1b\}\[2K\\u\{d\} -\\u\{9b\}1A ~a\\u\{202e\}b\\u\{2028\}c\\u\{200b\}/);
  });

  it('is in colour only when asked, and leaves names in any script as they are', () => {
    const verdict = { ...VERDICT, serverName: 'Zettelkästen-票' };
    assert.ok(!formatVerdict(verdict, false).includes('\u001b'));
    const painted = '\u001b[31mstale\u001b[0m  tool_set_changed  server=Zettelkästen-票';
    assert.ok(formatVerdict(verdict, true).includes(painted));
  });
});

describe('the tally of a run', () => {
  it('tells a verdict once, also when it arrives twice, and keeps the last of each connection and layer', () => {
    const tally = new RunTally();
    assert.equal(tally.verdict(logOf(VERDICT))?.reason, 'tool_set_changed');
    assert.equal(tally.verdict(logOf(VERDICT)), undefined);
    tally.verdict(logOf({ ...VERDICT, verdict: 'converged', reason: 'registry_equal', sequence: 12 }));
    tally.verdict(logOf({ ...VERDICT, connectionId: 'd' }));
    assert.equal(
      formatSummary(tally.last, tally.connections),
      'mcp-convergence: 2 connections, last verdicts: 1 converged, 1 stale',
    );
  });

  it('forgets the eldest instead of growing, and still counts connections right', () => {
    const tally = new RunTally();
    for (let i = 0; i < 10_050; i++) tally.verdict(logOf({ ...VERDICT, connectionId: `c${i}` }));
    assert.equal(tally.last.length, 10_000);
    assert.equal(tally.connections, 10_050);
  });

  it('is not impressed by other events, or by half a verdict', () => {
    const tally = new RunTally();
    const log = logOf(VERDICT);
    assert.equal(tally.verdict({ ...log, eventName: 'other' }), undefined);
    assert.equal(tally.verdict({ ...log, attributes: { 'mcp_convergence.verdict': 'converged' } }), undefined);
    assert.equal(tally.connections, 0);
  });
});
