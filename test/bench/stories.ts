// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Connections as they go, long enough to be measured, told with the stories of the tests of the core. */

import type { Observation } from '../../semconv/observation.ts';
import { Story } from '../core/story.ts';
import { QUICK } from './report.ts';

const TOOLS = 50;
const SCALE = QUICK ? 0.02 : 1;

/** Fifty names; the tool at `changed` is in its `version`th definition. */
export function namesOf(changed = 0, version = 1): string[] {
  return Array.from({ length: TOOLS }, (_, index) => `tool_${index}${index === changed % TOOLS ? `:${version}` : ''}`);
}

const times = (count: number): number => Math.ceil(count * SCALE);

function begin(story: Story): Story {
  return story.open().wait(10).list(namesOf()).wait(10).install(namesOf()).wait(10);
}

/** Listed once, then only called. */
export function quiet(): readonly Observation[] {
  const story = begin(new Story());
  for (let call = 0; call < times(2000); call++) story.wait(100).call(`tool_${call % TOOLS}`);
  return story.close().observations;
}

/** A tool changes, and the host follows. */
export function refreshing(): readonly Observation[] {
  const story = begin(new Story());
  for (let version = 2; version < times(200) + 2; version++) {
    const names = namesOf(version, version);
    story.signal().wait(300).list(names).wait(10).install(names);
    for (let call = 0; call < 5; call++) story.wait(1000).call(`tool_${call}`);
  }
  return story.close().observations;
}

/** A server that signals whenever it is asked, and whenever it is not. */
export function storm(): readonly Observation[] {
  const story = begin(new Story());
  for (let walk = 0; walk < times(100); walk++) {
    for (let signal = 0; signal < 15; signal++) story.wait(10).signal();
    story.list(namesOf(), { meanwhile: () => story.signal() });
  }
  return story.close().observations;
}

/** A thousand connections of short life to one server, taking turns. */
export function interleaved(): readonly Observation[] {
  const stories = Array.from({ length: times(1000) }, (_, index) => new Story({}, undefined, `c${index}`));
  for (const story of stories) {
    begin(story);
    for (let call = 0; call < 10; call++) story.wait(100).call(`tool_${call}`);
    story.signal().wait(300).list(namesOf(1, 2)).wait(10).install(namesOf(1, 2)).wait(10).close();
  }
  const all = stories.map(({ observations }) => observations);
  const longest = Math.max(...all.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => all.flatMap((one) => one[turn] ?? [])).flat();
}
