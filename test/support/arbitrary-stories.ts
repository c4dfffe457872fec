// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Random stories of one connection, as lists of plain commands: what fast-check shrinks and prints is a story that a person can
 * read, and that `tell` takes as it is printed. Members with a usual value are left out, so that only what matters remains.
 */

import fc from 'fast-check';
import type { SightingOf } from '../../instrumentation/connection.ts';
import type { Observation } from '../../semconv/observation.ts';
import { catalogOf, type Story } from '../core/story.ts';

/** Small enough for the interesting to happen within some twenty steps. */
export const LIMITS = { graceMs: 1000, equalWalks: 3, stormSignals: 4, reorderMs: 2000 } as const;

type Crossing = 'signal' | 'epoch' | 'list' | 'install';
type Lost = 'signal' | 'epoch' | 'install' | 'stream';

export type Command =
  | {
      readonly do: 'list';
      readonly tools: readonly string[];
      /** As a rule it is complete. */
      readonly outcome?: 'abandoned' | 'failed' | 'torn';
      /** As a rule one. */
      readonly pages?: 2;
      readonly crossing?: Crossing;
      /** By how many observations earlier than now it was asked for. */
      readonly early?: number;
    }
  /** Walks one after the other, each crossed by a signal. */
  | { readonly do: 'noise'; readonly tools: readonly string[]; readonly times: number; readonly pages?: 2 }
  | {
      readonly do: 'install';
      readonly tools: readonly string[];
      readonly filtered?: readonly string[];
      readonly capped?: readonly string[];
    }
  | { readonly do: 'coverage'; readonly state: 'opened' | 'closed' }
  | { readonly do: 'call'; readonly refusal?: 'unknown_tool' | 'invalid_params' }
  | { readonly do: 'principal'; readonly principal: string }
  | { readonly do: 'wait'; readonly ms: number }
  /** Something happens that the engine is never told. */
  | { readonly do: 'lose'; readonly what: Lost }
  | { readonly do: 'signal' | 'epoch' };

const tools = fc.constantFrom(['a'], ['a'], ['a'], ['a:2'], ['a', 'b'], []);
const pages = fc.constant(2 as const);
const b = fc.constant(['b']);

/** Commands of one sort: `required` members are always there, `optional` ones every other time. */
function sort(weight: number, name: Command['do'], required: object = {}, optional: object = {}) {
  const model = { do: fc.constant(name), ...required, ...optional };
  const requiredKeys = ['do', ...Object.keys(required)];
  return {
    weight,
    arbitrary: fc.record(model, { requiredKeys, noNullPrototype: true } as never) as fc.Arbitrary<Command>,
  };
}

const SORTS = [
  sort(
    5,
    'list',
    { tools },
    {
      outcome: fc.constantFrom('abandoned', 'failed', 'torn'),
      pages,
      crossing: fc.constantFrom('signal', 'epoch', 'list', 'install'),
      early: fc.nat(3),
    },
  ),
  sort(2, 'list', { tools }),
  sort(3, 'install', { tools }),
  sort(1, 'install', { tools }, { filtered: b, capped: b }),
  sort(2, 'signal'),
  sort(1, 'noise', { tools, times: fc.integer({ min: 2, max: 4 }) }, { pages }),
  sort(2, 'wait', { ms: fc.constantFrom(10, 400, 1500) }),
  sort(1, 'epoch'),
  sort(1, 'coverage', { state: fc.constantFrom('opened', 'closed') }),
  sort(2, 'call', {}, { refusal: fc.constantFrom('unknown_tool', 'invalid_params') }),
  sort(1, 'principal', { principal: fc.constantFrom('p', 'q') }),
];
const LOSS = sort(1, 'lose', { what: fc.constantFrom('signal', 'epoch', 'install', 'stream') });

const NO_NAMES = { filtered: [], withheld: [], capped: [], rejected: [], shadowed: [] };
const LOSSES: Readonly<Record<Lost, SightingOf<Observation>>> = {
  signal: { kind: 'signal', malformed: false, early: false },
  epoch: { kind: 'epoch_changed', cause: 'session_changed' },
  install: { kind: 'installed', layer: 'installed', ...NO_NAMES, renamed: 0, catalog: catalogOf(['c']) },
  stream: { kind: 'coverage', state: 'closed', channel: 'get_stream' },
};

const upTo24 = { maxLength: 24, size: 'max' } as const;
/** Of which every observation is heard. */
export const commands: fc.Arbitrary<readonly Command[]> = fc.array(fc.oneof(...SORTS), upTo24);
/** Of which some observations never come. */
export const lossyCommands: fc.Arbitrary<readonly Command[]> = fc.array(fc.oneof(...SORTS, LOSS), upTo24);

export interface Setting {
  readonly listChanged?: boolean;
  /** Signals come over a stream, which can end before the connection does, and not over a pipe. */
  readonly streamed?: boolean;
  readonly previous?: string;
}

/** Opens the connection, carries out the commands, and lets everything come due. */
export function tell(story: Story, list: readonly Command[], { streamed, ...more }: Setting = {}): Story {
  story.open({ ...more, channel: streamed ? 'none' : 'pipe' });
  if (streamed) story.tell({ kind: 'coverage', state: 'opened', channel: 'get_stream' });
  for (const command of list) carryOut(story, command);
  return story.wait(5000);
}

function carryOut(story: Story, command: Command): void {
  switch (command.do) {
    case 'list': {
      const { tools: found, outcome, pages: count, crossing, early } = command;
      story.list(found, {
        ...(outcome && { outcome }),
        ...(outcome === 'torn' && { tornBy: 'overlap' }),
        ...(count && { pages: count }),
        ...(early && { startSequence: Math.max(1, story.sequence + 1 - early) }),
        ...(crossing && { meanwhile: () => cross(story, crossing, found) }),
      });
      return;
    }
    case 'noise': {
      const { tools: found, times, pages: count = 1 } = command;
      for (let i = 0; i < times; i++) story.list(found, { pages: count, meanwhile: () => story.signal() });
      return;
    }
    case 'install': {
      const { tools: installed, filtered = [], capped = [] } = command;
      story.install(installed, { filtered, capped });
      return;
    }
    case 'coverage':
      story.tell({ kind: 'coverage', state: command.state, channel: 'get_stream' });
      return;
    case 'call': {
      const { refusal } = command;
      const outcome = refusal ? 'error' : 'ok';
      story.tell({ kind: 'call', tool: 'a', outcome, startSequence: story.sequence + 1, ...(refusal && { refusal }) });
      return;
    }
    case 'principal':
      story.tell({ kind: 'principal', principal: command.principal });
      return;
    case 'wait':
      story.wait(command.ms);
      return;
    case 'lose':
      lose(story, command.what);
      return;
    case 'signal':
      story.signal();
      return;
    case 'epoch':
      renew(story);
  }
}

function renew(story: Story): void {
  story.epoch = `e${story.sequence}`;
  story.tell({ kind: 'epoch_changed', cause: 'session_changed' });
}

function cross(story: Story, crossing: Crossing, found: readonly string[]): void {
  if (crossing === 'signal') story.signal();
  else if (crossing === 'epoch') renew(story);
  else if (crossing === 'list') story.list(found);
  else story.install(found);
}

/** Made and never told. */
function lose(story: Story, what: Lost): void {
  if (what === 'epoch') story.epoch = `e${story.sequence}`;
  story.make(LOSSES[what]);
}
