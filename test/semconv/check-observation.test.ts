// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** What is said of a value that is no observation: which member, and what it must be. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { observationFault } from '../../semconv/check-observation.ts';
import { MAX_ENTRIES, MAX_TEXT } from '../../semconv/limits.ts';
import type { Installed } from '../../semconv/observation.ts';
import { SAMPLES } from '../support/sample-observations.ts';

const installed = SAMPLES.find((one): one is Installed => one.kind === 'installed' && 'policy' in one);
assert.ok(installed);
const { catalog } = installed;

describe('an observation', () => {
  it('of every kind has no fault, also with members that nobody knows', () => {
    for (const one of SAMPLES) assert.equal(observationFault({ ...one, later: { version: 2 } }), undefined);
  });

  for (const [fault, value] of [
    ['it must be an object', []],
    ['kind must be one of connection_opened, handshake', { kind: 'weather' }],
    ['connectionId is missing', { kind: 'signal' }],
    ['sequence must count from 1', { ...installed, sequence: 0 }],
    ['sequence must be a whole number from 0', { ...installed, sequence: 1.5 }],
    ['timeMs must be a number of at most 8640000000000000', { ...installed, timeMs: 1e300 }],
    ['timeMs must be a Unix time in milliseconds', { ...installed, timeMs: 0 }],
    [
      'epoch.source must be one of supervisor, process, session, connection',
      { ...installed, epoch: { id: 'e', source: 'x' } },
    ],
    ['span must be an object', { ...installed, span: null }],
    ['layer must be one of installed, used', { ...installed, layer: 'discovered' }],
    ['filtered must be a list of at most 1000', { ...installed, filtered: Array(MAX_ENTRIES + 1).fill('a') }],
    [
      'withheld[1] must be text of at most 4096 characters',
      { ...installed, withheld: ['a', 'x'.repeat(MAX_TEXT + 1)] },
    ],
    [
      'catalog.entries[1].name must be text',
      {
        ...installed,
        catalog: {
          ...catalog,
          entries: [
            { name: 'a', digest: 'd' },
            { name: 7, digest: 'd' },
          ],
        },
      },
    ],
    ['catalog.entries[0].digest is missing', { ...installed, catalog: { ...catalog, entries: [{ name: 'a' }] } }],
    [
      'policy.seconds belongs to an interval, and to nothing else',
      { ...installed, policy: { kind: 'pinned', seconds: 3 } },
    ],
    ['policy.seconds belongs to an interval, and to nothing else', { ...installed, policy: { kind: 'interval' } }],
  ] as const) {
    it(`is none: ${fault}`, () => {
      assert.ok(observationFault(value)?.startsWith(fault), observationFault(value));
    });
  }

  it('is none when it throws while it is read', () => {
    const hostile = new Proxy({}, { get: () => assert.fail() });
    assert.equal(observationFault(hostile), 'it cannot be read');
  });
});
