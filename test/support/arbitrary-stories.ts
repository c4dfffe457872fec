// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Random stories of one connection, as lists of plain commands: what fast-check shrinks and prints is a story that a person can
 * read. `PROPERTY_SEED` plays another set of them.
 */

import fc from 'fast-check';
import type { Story } from '../core/story.ts';

export const SEED: number = Number(process.env.PROPERTY_SEED || 20_261_130);

/** Small enough for the interesting to happen within some twenty steps. */
export const LIMITS = { graceMs: 1000, equalWalks: 3, stormSignals: 4 } as const;

type Crossing = 'signal' | 'epoch' | 'list' | 'install';

export type Command =
  | {
      readonly do: 'list';
      readonly tools: readonly string[];
      readonly outcome: 'complete' | 'abandoned' | 'failed' | 'torn';
      readonly pages: number;
      readonly crossing?: Crossing;
      /** By how many observations earlier than now it was asked for. */
      readonly early?: number;
    }
  /** Walks one after the other, each crossed by a signal. */
  | { readonly do: 'noise'; readonly tools: readonly string[]; readonly times: number; readonly pages: number }
  | { readonly do: 'install'; readonly tools: readonly string[]; readonly filtered?: readonly string[] }
  | { readonly do: 'coverage'; readonly state: 'opened' | 'closed' }
  | { readonly do: 'call'; readonly refusal?: 'unknown_tool' | 'invalid_params' }
  | { readonly do: 'principal'; readonly principal: string }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'signal' | 'epoch' };

const tools = fc.constantFrom(['a'], ['a'], ['a'], ['a:2'], ['a', 'b'], []);
const pages = fc.constantFrom(1, 1, 2);

/** Members that are not there, instead of members that are undefined. */
function record<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }, required: (keyof T)[]): fc.Arbitrary<T> {
  return fc.record(model, { requiredKeys: required } as never) as fc.Arbitrary<T>;
}

const list = record<Extract<Command, { do: 'list' }>>(
  {
    do: fc.constant('list'),
    tools,
    outcome: fc.constantFrom('complete', 'complete', 'complete', 'abandoned', 'failed', 'torn'),
    pages,
    crossing: fc.constantFrom('signal', 'epoch', 'list', 'install'),
    early: fc.nat(3),
  } as never,
  ['do', 'tools', 'outcome', 'pages'],
);

export const commands: fc.Arbitrary<readonly Command[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: list as fc.Arbitrary<Command> },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('install' as const), tools }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('install' as const), tools, filtered: fc.constant(['b']) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('signal' as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('noise' as const), tools, times: fc.integer({ min: 2, max: 4 }), pages }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(10, 400, 1500) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('epoch' as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('coverage' as const),
        state: fc.constantFrom('opened' as const, 'closed' as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('call' as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('call' as const),
        refusal: fc.constantFrom('unknown_tool' as const, 'invalid_params' as const),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('principal' as const), principal: fc.constantFrom('p', 'q') }),
    },
  ),
  { maxLength: 24, size: 'max' },
);

/** Opens the connection, carries out the commands, and lets everything come due. */
export function tell(story: Story, list: readonly Command[], listChanged = true): Story {
  story.open({ listChanged });
  for (const command of list) carryOut(story, command);
  return story.wait(5000);
}

function carryOut(story: Story, command: Command): void {
  switch (command.do) {
    case 'list': {
      const { tools: found, outcome, pages: count, crossing, early } = command;
      const torn = outcome === 'torn' && ({ tornBy: 'overlap' } as const);
      const started = early ? { startSequence: Math.max(1, story.sequence + 1 - early) } : {};
      const meanwhile = crossing && { meanwhile: () => cross(story, crossing, found) };
      story.list(found, { outcome, pages: count, ...torn, ...started, ...meanwhile });
      return;
    }
    case 'noise':
      for (let i = 0; i < command.times; i++)
        story.list(command.tools, { pages: command.pages, meanwhile: () => story.signal() });
      return;
    case 'install':
      story.install(command.tools, command.filtered ? { filtered: command.filtered } : {});
      return;
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
