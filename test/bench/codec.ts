// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import { decodeObservation, encodeObservation, type Observation } from '../../semconv/index.ts';
import { catalogOf, Story } from '../core/story.ts';
import { measure, printTable, type Row, rowOf } from './report.ts';

/** One turn takes too little time to be measured. */
const TURNS = 200;

function samples(): Record<string, Observation> {
  const story = new Story().open();
  const handshake = story.observations[1] as Observation;
  const told: Record<string, Observation> = { handshake };
  const last = (name: string): void => {
    told[name] = story.observations.at(-1) as Observation;
  };
  story.signal();
  last('signal');
  story.call('tool_1');
  last('call');
  for (const size of [50, 1000]) {
    const names = Array.from({ length: size }, (_, index) => `tool_${index}`);
    story.list(names, { catalog: { ...catalogOf(names), revision: 1 } });
    last(`traversal of ${size} tools`);
    story.install(names);
    last(`installed, ${size} tools`);
  }
  return told;
}

function throughAttributes(observation: Observation): Observation | undefined {
  const startTimeMs = observation.kind === 'traversal' ? observation.startTimeMs : observation.timeMs;
  const { span } = observation;
  return decodeObservation(encodeObservation(observation), {
    startTimeMs,
    endTimeMs: observation.timeMs,
    ...(span && { span }),
  });
}

function repeat(body: () => unknown): unknown {
  let kept: unknown;
  for (let turn = 0; turn < TURNS; turn++) kept = body();
  return kept;
}

const rows: Row[] = [];
for (const [name, observation] of Object.entries(samples())) {
  assert.deepEqual(throughAttributes(observation), observation);
  const [, coded] = await measure({ name: 'floor', run: () => repeat(() => JSON.parse(JSON.stringify(observation))) }, [
    { name, run: () => repeat(() => throughAttributes(observation)) },
  ]);
  if (!coded) throw new Error('nothing was measured');
  rows.push(rowOf(coded));
}
printTable(
  'codec: an observation to span attributes and back',
  'JSON.parse of JSON.stringify of the same observation',
  ['observation', 'x floor', 'middle half'],
  rows,
);
