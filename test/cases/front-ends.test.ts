// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * One sequence, three ways into the engine: observations as they are, finished spans through the SpanProcessor, and an OTLP/JSON
 * export request as an SDK writes it. The verdicts are the same.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { AlwaysOnSampler, InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { ConvergenceSpanProcessor } from '../../processor/index.ts';
import { parseLine } from '../../processor/recording/parse-line.ts';
import { Replay } from '../../processor/recording/replay.ts';
import type { Observation } from '../../semconv/observation.ts';
import { encodeObservation } from '../../semconv/observation-attributes.ts';
import type { Verdict } from '../../semconv/verdict.ts';
import { type Case, readCases, readLines, replayCase } from '../support/case-files.ts';

/** A span processor lives in the present, where all of a recording arrives at once: no time passes for what waits for it. */
const waitsForTheClock = ({ limits = {}, counters }: Case): boolean =>
  counters !== undefined || 'idleMs' in limits || 'reorderMs' in limits;

const CASES = readCases().filter((one) => !waitsForTheClock(one));

function spansOf(observations: readonly Observation[]) {
  const exporter = new InMemorySpanExporter();
  const processor = new SimpleSpanProcessor({ exporter });
  const tracer = new TracerProvider({ sampler: new AlwaysOnSampler(), spanProcessors: [processor] }).getTracer('cases');
  for (const observation of observations) {
    const startTime = observation.kind === 'traversal' ? observation.startTimeMs : observation.timeMs;
    const attributes = encodeObservation(observation);
    tracer.startSpan(observation.kind, { startTime, attributes }).end(observation.timeMs);
  }
  return exporter.getFinishedSpans();
}

/** Without links to judged spans, which only spans have, and without times, which a double holds to the microsecond or so. */
const plain = (verdicts: readonly Verdict[]) =>
  verdicts.map(({ judged: _, timeMs: __, signalLagS: ___, ...verdict }) => verdict);

describe('the verdicts of a recording', () => {
  it('are the same through a span processor', async () => {
    for (const one of CASES) {
      const verdicts: Verdict[] = [];
      const processor = new ConvergenceSpanProcessor({
        limits: one.limits ?? {},
        onVerdict: (verdict) => verdicts.push(verdict),
      });
      for (const span of spansOf(readLines(one))) processor.onEnd(span);
      await processor.shutdown();
      const words = (list: readonly Verdict[]) =>
        list.map(({ verdict, reason, layer }) => `${verdict}/${reason} ${layer}`);
      assert.deepEqual(words(verdicts), words(replayCase(one).verdicts), `${one.kind}/${one.name}`);
    }
  });

  it('are the same, with all that they carry, through an export request', () => {
    for (const one of CASES) {
      const request = JsonTraceSerializer.serializeRequest([...spansOf(readLines(one))]);
      const parsed = parseLine(Buffer.from(request ?? []).toString('utf8'));
      assert.ok('observations' in parsed, `${one.name}: ${JSON.stringify(parsed)}`);
      const replay = new Replay(one.limits);
      const steps = [...parsed.observations.flatMap((each) => replay.observe(each)), replay.end()];
      assert.deepEqual(plain(steps.flatMap((step) => step.verdicts)), plain(replayCase(one).verdicts), one.name);
    }
  });
});
