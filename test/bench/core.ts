// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

import { createEngine } from '../../processor/core/index.ts';
import type { Observation } from '../../semconv/observation.ts';
import { measure, printTable, type Row, rowOf, short } from './report.ts';
import { interleaved, quiet, refreshing, storm } from './stories.ts';

/** As a front end does it: each observation at its time, and each deadline that came before. */
function judgeAll(observations: readonly Observation[]): number {
  const engine = createEngine();
  let said = 0;
  let deadlineMs: number | undefined;
  let nowMs = 0;
  for (const observation of observations) {
    nowMs = Math.max(nowMs, observation.timeMs);
    while (deadlineMs !== undefined && deadlineMs <= nowMs) {
      const step = engine.advance(deadlineMs);
      said += step.verdicts.length;
      deadlineMs = step.deadlineMs;
    }
    const step = engine.observe(observation, nowMs);
    said += step.verdicts.length;
    deadlineMs = step.deadlineMs;
  }
  return said + engine.end(nowMs).verdicts.length;
}

const rows: Row[] = [];
for (const [name, make] of Object.entries({ quiet, refreshing, storm, interleaved })) {
  const observations = make();
  const texts = observations.map((observation) => JSON.stringify(observation));
  const verdicts = judgeAll(observations);
  const [, judged] = await measure({ name: 'floor', run: () => texts.map((text) => JSON.parse(text)) }, [
    { name, run: () => judgeAll(observations) },
  ]);
  if (!judged) throw new Error('nothing was measured');
  rows.push([...rowOf(judged), observations.length, verdicts, short((observations.length / judged.onceMs) * 1000)]);
}
printTable(
  'core: observations through the engine, catalogs of 50 tools',
  'JSON.parse of the text of the same observations',
  ['story', 'x floor', 'middle half', 'observations', 'verdicts', 'observations/s'],
  rows,
);
