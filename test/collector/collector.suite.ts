// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * `mcp-convergence replay` on files that a real Collector's file exporter wrote: its batches, its order, its spelling of OTLP/JSON.
 * Needs Go, since Collectors come from no npm registry; without it the suite is skipped.
 */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { toJsonLine } from '../../processor/cli/verdict-lines.ts';
import { parseLine } from '../../processor/recording/parse-line.ts';
import { decodeLogsRequest } from '../../processor/service/decode-otlp-json.ts';
import * as name from '../../semconv/names.ts';
import { buildPinned, lacksGo } from '../support/cached-build.ts';
import { ROOT } from '../support/cached-install.ts';
import { runProgram } from '../support/run-program.ts';
import { makeScratch } from '../support/scratch.ts';
import { AGENT, writeProgram } from '../support/small-agent.ts';
import { OTHERS } from './other-telemetry.ts';
import { type Batch, type Collector, startCollector } from './start-collector.ts';

const MODULE = join(import.meta.dirname, 'otelcol');
const CLI = join(ROOT, 'dist/processor/cli/main.mjs');
const REGISTER_SDK = pathToFileURL(join(ROOT, 'dist/register-sdk.mjs')).href;
const GRACE_MS = '300';

/** Everything in one batch, which only the end of the Collector sends off. */
const GATHERED: Batch = { timeout: '60s', send_batch_size: 8192 };
/** What an agent sent as one request ends up on several lines. */
const CUT: Batch = { timeout: '50ms', send_batch_size: 2, send_batch_max_size: 2 };

const CONVERGES = `${AGENT}\nawait client.close();`;
const ENDS_STALE = `${AGENT}\nawait change();\nawait sleep(600);\nawait client.close();`;
/** Long enough, and with enough to say, for several of them to take turns. */
const FOLLOWS = `${AGENT}
  for (let i = 0; i < 4; i += 1) {
    await sleep(250);
    await client.callTool({ name: 'a', arguments: {} });
  }
  await change();
  reportInstalledRegistry(client, { tools: (await client.listTools()).tools });
  await sleep(500);
  await client.close();`;

/** Answers a signal in time, but half of the evidence leaves the process only at its end. */
const EXPORTS_LATE = `${AGENT}
  import { trace } from '@opentelemetry/api';
  await change();
  await trace.getTracerProvider().getDelegate().forceFlush();
  reportInstalledRegistry(client, { tools: (await client.listTools()).tools });
  await sleep(1500);
  await client.close();`;

/** Goes on past the end of the grace period of the other. */
const LISTS_ON = `${AGENT}
  for (let i = 0; i < 25; i += 1) {
    await sleep(100);
    await client.listTools();
  }
  await client.close();`;

type VerdictLine = Readonly<Record<string, unknown>>;

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');
const verdictsOf = (text: string): VerdictLine[] => linesOf(text).map((line) => JSON.parse(line));
const judged = (verdicts: readonly VerdictLine[]) =>
  verdicts.map((each) => `${each[name.ATTR_MCP_CONVERGENCE_VERDICT]}/${each[name.ATTR_MCP_CONVERGENCE_REASON]}`);

async function replay(...files: readonly string[]) {
  const { code, stdout, stderr } = await runProgram([CLI, 'replay', '--json', '--grace', GRACE_MS, ...files]);
  return { code, verdicts: verdictsOf(stdout), stderr };
}

/** Runs an agent under `run`, which hands everything on to the Collector. */
async function runAgent(url: string, source: string, code = 0) {
  const folder = makeScratch();
  const [events, recording] = [join(folder, 'events.jsonl'), join(folder, 'observations.jsonl')];
  const options = ['--grace', GRACE_MS, '--record', recording, '--json', events, '--otlp', url];
  const ended = await runProgram([CLI, 'run', ...options, '--', process.execPath, writeProgram(source)]);
  assert.equal(ended.code, code, ended.stderr);
  assert.doesNotMatch(ended.stderr, /^mcp-convergence: (?!\d+ connection)/m, 'the Collector took everything');
  return { verdicts: verdictsOf(readFileSync(events, 'utf8')), recording };
}

/** Some connection is heard of again after another one was. */
function assertTurnsWereTaken(file: string): void {
  const connections = linesOf(readFileSync(file, 'utf8')).flatMap((line) => {
    const parsed = parseLine(line);
    assert.ok('observations' in parsed);
    return parsed.observations.map(({ connectionId }) => connectionId);
  });
  const turns = connections.filter((id, i) => id !== connections[i - 1]);
  assert.ok(turns.length > new Set(turns).size, `no connection came back: ${turns}`);
}

/** The verdict events that the agents themselves exported, as `replay --json` prints verdicts. */
function eventsIn(file: string): VerdictLine[] {
  return linesOf(readFileSync(file, 'utf8'))
    .flatMap((line) => decodeLogsRequest(JSON.parse(line)))
    .filter(({ eventName }) => eventName === name.EVENT_MCP_CONVERGENCE_VERDICT)
    .map((event) => JSON.parse(toJsonLine(event)));
}

const connectionOf = (verdict: VerdictLine): unknown => verdict[name.ATTR_MCP_CONVERGENCE_CONNECTION_ID];
const byConnection = (verdicts: readonly VerdictLine[]) => Map.groupBy(verdicts, connectionOf);

/** Lines of one signal, by its key in OTLP/JSON. */
const linesWith = (key: string, file: string): number =>
  linesOf(readFileSync(file, 'utf8')).filter((line) => Object.hasOwn(JSON.parse(line), key)).length;

const skip = await lacksGo(MODULE);

describe('the file of a Collector', { skip }, () => {
  let program = '';
  let collector: Collector | undefined;
  const start = async (batch?: Batch): Promise<Collector> => {
    collector = await startCollector(program, batch);
    return collector;
  };

  before(async () => {
    program = await buildPinned(MODULE);
  });
  afterEach(() => collector?.stop());

  for (const [how, batch, isSoBatched] of [
    ['gathers everything into one batch', GATHERED, (lines: number) => lines === 1],
    ['writes what comes as it comes', undefined, (lines: number) => lines >= 1],
    ['cuts what comes into small batches', CUT, (lines: number) => lines > 2],
  ] as const) {
    describe(`that ${how}`, () => {
      for (const [what, source, ending, code] of [
        ['converges', CONVERGES, ['converged/registry_equal'], 0],
        ['ends stale', ENDS_STALE, ['converged/registry_equal', 'stale/signal_unanswered'], 1],
      ] as const) {
        it(`replays to the verdicts of an agent that ${what}, and ends with ${code}`, async () => {
          const { url, finish } = await start(batch);
          const { verdicts, recording } = await runAgent(url, source);
          const file = await finish();
          assert.ok(isSoBatched(linesWith('resourceSpans', file)), readFileSync(file, 'utf8'));
          assert.deepEqual(judged(verdicts), ending);
          assert.deepEqual(await replay(recording), { code, verdicts, stderr: '' });
          assert.deepEqual(await replay(file), { code, verdicts, stderr: '' });
        });
      }
    });
  }

  it('replays to the verdicts of an agent that calls process.exit right after its work', async () => {
    const { url, finish } = await start(CUT);
    const { verdicts, recording } = await runAgent(
      url,
      `${AGENT}\nawait change();\nawait sleep(600);\nprocess.exit(7);`,
      7,
    );
    assert.deepEqual(judged(verdicts), ['converged/registry_equal', 'stale/signal_unanswered']);
    assert.deepEqual(await replay(recording), { code: 1, verdicts, stderr: '' });
    assert.deepEqual(await replay(await finish()), { code: 1, verdicts, stderr: '' });
  });

  for (const [how, batch] of [
    ['in batches that hold several', { timeout: '200ms', send_batch_size: 8192 }],
    ['in batches of a span or two', CUT],
  ] as const) {
    it(`replays to the verdicts of three agents that took turns, ${how}`, async () => {
      const { url, finish } = await start(batch);
      const runs = await Promise.all([FOLLOWS, ENDS_STALE, FOLLOWS].map((source) => runAgent(url, source)));
      const file = await finish();
      assertTurnsWereTaken(file);
      const replayed = await replay(file);
      assert.equal(replayed.code, 1, replayed.stderr);
      const verdicts = runs.flatMap((run) => run.verdicts);
      assert.deepEqual(byConnection(replayed.verdicts), byConnection(verdicts));
    });
  }

  it('holds spans of other kinds, logs and metrics, and none of them is a fault', async () => {
    const { url, finish } = await start();
    const send = async () => {
      for (const [signal, body] of Object.entries(OTHERS)) {
        const headers = { 'content-type': 'application/json' };
        const { status } = await fetch(`${url}/v1/${signal}`, { method: 'POST', headers, body: JSON.stringify(body) });
        assert.equal(status, 200);
      }
    };
    await send();
    const { verdicts } = await runAgent(url, ENDS_STALE);
    await send();
    const file = await finish();
    for (const key of ['resourceSpans', 'resourceLogs', 'resourceMetrics']) assert.ok(linesWith(key, file) > 1, key);
    assert.deepEqual(await replay(file), { code: 1, verdicts, stderr: '' });
  });

  it('is refused with its last line cut short, by file, line and reason', async () => {
    const { url, finish } = await start(CUT);
    await runAgent(url, CONVERGES);
    const whole = readFileSync(await finish(), 'utf8').trimEnd();
    const file = join(makeScratch(), 'cut.jsonl');
    writeFileSync(file, whole.slice(0, -10));
    const { code, verdicts, stderr } = await replay(file);
    assert.deepEqual({ code, verdicts }, { code: 3, verdicts: [] });
    const line = linesOf(whole).length;
    assert.ok(stderr.startsWith(`mcp-convergence: ${file}:${line}: no JSON: `), stderr);
  });

  describe('to which agents export by themselves', () => {
    const exporting = (url: string, source: string, delayMs = '100') =>
      runProgram([writeProgram(source)], {
        nodeFlags: ['--import', REGISTER_SDK],
        env: {
          OTEL_EXPORTER_OTLP_ENDPOINT: url,
          OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
          OTEL_BSP_SCHEDULE_DELAY: delayMs,
          MCP_CONVERGENCE_GRACE_MS: GRACE_MS,
        },
      });

    it('replays to the verdict events in it, whatever the protocol that brought them', async () => {
      const { url, finish } = await start();
      const { code, stderr } = await exporting(url, ENDS_STALE);
      assert.equal(code, 0, stderr);
      const file = await finish();
      const replayed = await replay(file);
      assert.equal(replayed.code, 1, replayed.stderr);
      assert.deepEqual(judged(replayed.verdicts), ['converged/registry_equal', 'stale/signal_unanswered']);
      assert.deepEqual(replayed.verdicts, eventsIn(file));
    });

    it('replays to those events although one agent exports late what the other has overtaken', async () => {
      const { url, finish } = await start();
      const [late, prompt] = await Promise.all([
        exporting(url, EXPORTS_LATE, '600000'),
        exporting(url, LISTS_ON, '50'),
      ]);
      assert.deepEqual([late.code, prompt.code], [0, 0], late.stderr + prompt.stderr);
      const file = await finish();
      assertTurnsWereTaken(file);
      assert.deepEqual(byConnection((await replay(file)).verdicts), byConnection(eventsIn(file)));
    });
  });
});
