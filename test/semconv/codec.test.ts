// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fromHrTime, toHrTime } from '../../semconv/hr-time.ts';
import {
  decodeObservation,
  decodeVerdict,
  encodeObservation,
  encodeVerdict,
  type Observation,
  REASONS,
  type Verdict,
} from '../../semconv/index.ts';
import { SAMPLES } from '../support/sample-observations.ts';

function timingOf(observation: Observation) {
  const startTimeMs = observation.kind === 'traversal' ? observation.startTimeMs : observation.timeMs;
  return { startTimeMs, endTimeMs: observation.timeMs, ...(observation.span && { span: observation.span }) };
}

describe('an observation on a span', () => {
  SAMPLES.forEach((sample, index) => {
    it(`comes back as it was: ${sample.kind} ${index}`, () => {
      const attributes = encodeObservation(sample);
      assert.deepEqual(decodeObservation(attributes, timingOf(sample)), sample);
      assert.deepEqual(decodeObservation(JSON.parse(JSON.stringify(attributes)), timingOf(sample)), sample);
    });
  });

  it('has simple attributes under one namespace or under the conventions', () => {
    for (const sample of SAMPLES) {
      for (const [key, value] of Object.entries(encodeObservation(sample))) {
        assert.match(key, /^(mcp_convergence\.|mcp\.|gen_ai\.tool\.name$|error\.type$)/);
        assert.ok(
          ['string', 'number', 'boolean'].includes(typeof value) ||
            (Array.isArray(value) && value.every((item) => typeof item === 'string')),
        );
      }
    }
  });

  it('is no observation when any attribute it needs is missing, mistyped or cut short', () => {
    for (const sample of SAMPLES) {
      const attributes = encodeObservation(sample);
      for (const key of Object.keys(attributes)) {
        const without: Record<string, unknown> = { ...attributes };
        delete without[key];
        const decoded = decodeObservation(without, timingOf(sample));
        // Leaving out what is optional leaves another whole observation; it must never be a half one.
        if (decoded) assert.deepEqual(decodeObservation(encodeObservation(decoded), timingOf(decoded)), decoded, key);
        assert.equal(decodeObservation({ ...attributes, [key]: { odd: true } }, timingOf(sample)), undefined, key);
      }
      const cut = Object.fromEntries(
        Object.entries(attributes).map(([key, value]) => [
          key,
          key.endsWith('digests') ? (value as string[]).map((each) => each.slice(0, 8)) : value,
        ]),
      );
      if (
        'mcp_convergence.catalog.tool_digests' in cut &&
        (cut['mcp_convergence.catalog.tool_digests'] as string[]).length > 0
      ) {
        assert.equal(decodeObservation(cut, timingOf(sample)), undefined);
      }
    }
  });

  it('is not seen in a span of somebody else', () => {
    const timing = { startTimeMs: 0, endTimeMs: 0 };
    for (const attributes of [
      {},
      { 'http.method': 'GET' },
      { 'mcp_convergence.observation.kind': '__proto__' },
      { 'mcp_convergence.observation.kind': 'signal' },
    ]) {
      assert.equal(decodeObservation(attributes, timing), undefined);
    }
  });
});

describe('a verdict on an event', () => {
  const verdict: Verdict = {
    verdict: 'stale',
    reason: 'definition_changed',
    layer: 'installed',
    connectionId: 'c',
    timeMs: 5,
    sequence: 9,
    epoch: { id: 'e', source: 'session' },
    evidence: 'reported',
    recipe: 'tools/1',
    discoveredDigest: 'd',
    discoveredRevision: 2,
    installedDigest: 'i',
    installedRevision: 1,
    difference: { added: ['a'], removed: [], changed: ['c'] },
    notes: ['filtered'],
    policy: { kind: 'interval', seconds: 3 },
    signalLagS: 0.5,
    limit: 'depth',
    previous: 'converged',
    serverName: 's',
    protocolVersion: '2025-11-25',
    judged: [],
  };

  it('comes back as it was, and names the next step', () => {
    const attributes = encodeVerdict(verdict);
    assert.deepEqual(decodeVerdict(attributes, 5), verdict);
    assert.equal(attributes['mcp_convergence.next_step'], REASONS.definition_changed.nextStep);
  });

  it('is none with a reason that does not exist', () => {
    assert.equal(decodeVerdict({ ...encodeVerdict(verdict), 'mcp_convergence.reason': 'because' }, 5), undefined);
  });
});

describe('time', () => {
  it('survives the form of OpenTelemetry to the microsecond', () => {
    for (const timeMs of [0, 0.001, 1_764_547_200_123.457, 1_764_547_200_999.999, 4_102_444_800_000]) {
      assert.equal(fromHrTime(toHrTime(timeMs)), timeMs);
      const [, nanoseconds] = toHrTime(timeMs);
      assert.ok(nanoseconds >= 0 && nanoseconds < 1e9);
    }
  });
});
