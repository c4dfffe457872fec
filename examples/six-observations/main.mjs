// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Six agents, six servers, six verdicts. Each agent runs under `mcp-convergence run`, as any agent would: its telemetry
 * leaves the process as OTLP over loopback HTTP, and the rows below are read from what arrived. Exits with 1 if any differs.
 * Options of `run` are handed on: `npm start -- --otlp http://localhost:4318` shows the same in Jaeger.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CASES } from './cases.mjs';

const CLI = fileURLToPath(new URL('../../dist/processor/cli/main.mjs', import.meta.url));
const here = (file) => fileURLToPath(new URL(file, import.meta.url));

const OPTIONS = process.argv.slice(2);

/** Short, so that the whole takes seconds; agents stay a little longer. */
const GRACE_MS = '1000';

/** Runs one agent. @returns the last verdict on its connection, by attribute name, or undefined when there was none */
async function observe({ agent, plan, habits }, folder, index) {
  const file = join(folder, `${index}.jsonl`);
  const command = [process.execPath, here(agent), JSON.stringify(plan), JSON.stringify(habits)];
  const child = spawn(
    process.execPath,
    [CLI, 'run', '--grace', GRACE_MS, '--json', file, ...OPTIONS, '--', ...command],
    {
      stdio: ['ignore', 'inherit', 'pipe'],
    },
  );
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${agent} ended with ${code}:\n${said}`);
  const lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line)).at(-1);
}

const short = (digest) => digest?.slice(0, 12) ?? '-';

function describeRow({ title, expected }, verdict) {
  const of = (name) => verdict?.[`mcp_convergence.${name}`];
  const met = of('verdict') === expected.verdict && of('reason') === expected.reason;
  return {
    met,
    cells: {
      case: title,
      verdict: of('verdict') ?? 'none',
      reason: of('reason') ?? '-',
      discovered: short(of('discovered.digest')),
      installed: short(of('installed.digest')),
      revision: `${of('installed.revision') ?? '-'} of ${of('discovered.revision') ?? '-'}`,
      'next step': met ? of('next_step') : `NOT AS EXPECTED: ${expected.verdict}, ${expected.reason}`,
    },
  };
}

function printTable(rows) {
  const names = Object.keys(rows[0]);
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => row[name].length)));
  const line = (cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd();
  console.log(line(names));
  console.log(line(widths.map((width) => '-'.repeat(width))));
  for (const row of rows) console.log(line(names.map((name) => row[name])));
}

const folder = await mkdtemp(join(tmpdir(), 'six-observations-'));
const verdicts = await Promise.all(CASES.map((one, index) => observe(one, folder, index)));
await rm(folder, { recursive: true });
const rows = CASES.map((one, index) => describeRow(one, verdicts[index]));
printTable(rows.map((row) => row.cells));
process.exitCode = rows.every((row) => row.met) ? 0 : 1;
