// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The six observations: what the server will do, which agent meets it, and the verdict that must come out. Pure data.
 */

const tool = (name, ...required) => ({
  name,
  description: `${name.replaceAll('_', ' ')} of the help desk`,
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(required.map((property) => [property, { type: 'string' }])),
    required,
  },
});

const release = tool('release');
const search = tool('search_tickets', 'query');
const read = tool('read_ticket', 'ticketId');
const readInProject = tool('read_ticket', 'projectId', 'ticketId');
const close = tool('close_ticket', 'ticketId');

export const CASES = [
  {
    title: 'complete two-page baseline',
    agent: 'agent-v2.mjs',
    habits: {},
    plan: {
      listChanged: true,
      catalogs: [
        [
          [search, read],
          [close, release],
        ],
      ],
    },
    expected: { verdict: 'converged', reason: 'registry_equal' },
  },
  {
    title: 'tool removed, fully refreshed',
    agent: 'agent-v1.mjs',
    habits: { follows: 'every cursor', onChange: 'refresh' },
    plan: {
      listChanged: true,
      catalogs: [
        [
          [search, read],
          [close, release],
        ],
        [[search, read], [release]],
      ],
    },
    expected: { verdict: 'converged', reason: 'registry_equal' },
  },
  {
    title: 'signal, no new discovery',
    agent: 'agent-v2.mjs',
    habits: { onChange: 'ignore' },
    plan: { listChanged: true, catalogs: [[[search, read, release]], [[search, read, close, release]]] },
    expected: { verdict: 'stale', reason: 'signal_unanswered' },
  },
  {
    title: 'page one, cursor left',
    agent: 'agent-v1.mjs',
    habits: { follows: 'no cursor' },
    plan: {
      listChanged: true,
      catalogs: [
        [
          [search, read],
          [close, release],
        ],
      ],
    },
    expected: { verdict: 'incomplete', reason: 'cursor_left' },
  },
  {
    title: 'same name, other required input',
    agent: 'agent-v2.mjs',
    habits: { onChange: 'compare names' },
    plan: { listChanged: true, catalogs: [[[search, read, release]], [[search, readInProject, release]]] },
    expected: { verdict: 'stale', reason: 'definition_changed' },
  },
  {
    title: 'no listChanged, no refresh policy',
    agent: 'agent-v1.mjs',
    habits: { follows: 'every cursor' },
    plan: { listChanged: false, catalogs: [[[search, read, close]]] },
    expected: { verdict: 'unverifiable', reason: 'signal_not_advertised' },
  },
];
