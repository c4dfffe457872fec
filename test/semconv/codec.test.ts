// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fromHrTime, toHrTime } from '../../semconv/hr-time.ts';
import {
  type Call,
  type ConnectionClosed,
  type ConnectionOpened,
  type Coverage,
  type Delivered,
  decodeObservation,
  decodeVerdict,
  type EpochChanged,
  type EpochSource,
  encodeObservation,
  encodeVerdict,
  type Handshake,
  type Installed,
  type Observation,
  type ObservationKind,
  REASONS,
  type RefreshPolicy,
  type Traversal,
  VALUES,
  type Verdict,
} from '../../semconv/index.ts';
import { SAMPLE_VERDICT, SAMPLES } from '../support/sample-observations.ts';

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

  it('is no observation with a word, a count or a digest that cannot have been written', () => {
    let refused = 0;
    for (const sample of SAMPLES) {
      const attributes = encodeObservation(sample);
      for (const [key, value] of Object.entries(attributes)) {
        const impossible: unknown[] = [];
        if (Object.hasOwn(VALUES, key)) impossible.push('word', String(value).slice(0, -1), '');
        else if (/\.(digest|tool_digests|cursors)$/.test(key) && (value as string[]).length > 0)
          impossible.push(Array.isArray(value) ? value.map((each) => each.slice(1)) : String(value).slice(1));
        if (Array.isArray(value) && value.length > 0) impossible.push([...value.slice(1), 7], value[0]);
        if (typeof value === 'number') impossible.push(Number.NaN, Number.POSITIVE_INFINITY, '1');
        if (typeof value === 'number' && !/\.(ttl|interval)$/.test(key)) impossible.push(-1, 1.5);
        for (const other of impossible) {
          const decoded = decodeObservation({ ...attributes, [key]: other }, timingOf(sample));
          assert.equal(decoded, undefined, `${sample.kind} ${key} ${other}`);
          refused += 1;
        }
      }
    }
    assert.ok(refused > 300, `${refused}`);
  });

  it('is no observation when its lists of tools have not one length', () => {
    const lists = ['tool_names', 'tool_digests', 'tool_masked_digests'].map(
      (list) => `mcp_convergence.catalog.${list}`,
    );
    let tried = 0;
    for (const sample of SAMPLES) {
      const attributes = encodeObservation(sample);
      for (const key of lists) {
        const list = attributes[key];
        if (!Array.isArray(list) || list.length === 0) continue;
        tried += 1;
        assert.equal(decodeObservation({ ...attributes, [key]: list.slice(1) }, timingOf(sample)), undefined, key);
        assert.equal(decodeObservation({ ...attributes, [key]: [...list, list[0]] }, timingOf(sample)), undefined, key);
      }
    }
    assert.ok(tried >= 3);
  });

  it('keeps a lifetime exactly, to the microsecond, and a hostile one finite', () => {
    const sample = SAMPLES.find((each): each is Traversal => each.kind === 'traversal' && each.ttlMs !== undefined);
    assert.ok(sample);
    const back = (ttlMs: number) =>
      decodeObservation(encodeObservation({ ...sample, ttlMs }), timingOf(sample)) as Traversal;
    for (let i = 0; i < 2000; i++) assert.equal(back((i * 7919) / 1000).ttlMs, (i * 7919) / 1000);
    for (const ttlMs of [0, 86_400_000, 3.6e12 + 0.001]) assert.equal(back(ttlMs).ttlMs, ttlMs);
    assert.ok(Number.isFinite(back(Number.MAX_VALUE).ttlMs));
  });

  it('is written in the words that the registry lists', () => {
    type Same<Left, Right> = [Left] extends [Right] ? ([Right] extends [Left] ? true : false) : false;
    type Words<Key extends keyof typeof VALUES> = (typeof VALUES)[Key][number];
    // Held by the compiler: a word in a type and not in the registry, or the reverse, makes one of these false.
    const same: readonly true[] = [
      true satisfies Same<ObservationKind, Words<'mcp_convergence.observation.kind'>>,
      true satisfies Same<EpochSource, Words<'mcp_convergence.epoch.source'>>,
      true satisfies Same<EpochChanged['cause'], Words<'mcp_convergence.epoch.cause'>>,
      true satisfies Same<ConnectionOpened['transport'], Words<'mcp_convergence.connection.transport'>>,
      true satisfies Same<ConnectionClosed['cause'], Words<'mcp_convergence.connection.close_cause'>>,
      true satisfies Same<Handshake['method'], Words<'mcp_convergence.handshake.method'>>,
      true satisfies Same<Handshake['era'], Words<'mcp_convergence.handshake.era'>>,
      true satisfies Same<Coverage['state'], Words<'mcp_convergence.coverage.state'>>,
      true satisfies Same<Coverage['channel'], Words<'mcp_convergence.coverage.channel'>>,
      true satisfies Same<Traversal['outcome'], Words<'mcp_convergence.traversal.outcome'>>,
      true satisfies Same<Traversal['tornBy'], Words<'mcp_convergence.traversal.torn_by'> | undefined>,
      true satisfies Same<Traversal['trigger'], Words<'mcp_convergence.traversal.trigger'>>,
      true satisfies Same<Delivered['source'], Words<'mcp_convergence.delivered.source'>>,
      true satisfies Same<Installed['layer'] | 'discovered', Words<'mcp_convergence.layer'>>,
      true satisfies Same<Verdict['layer'], Words<'mcp_convergence.layer'>>,
      true satisfies Same<Verdict['evidence'], Words<'mcp_convergence.evidence'>>,
      true satisfies Same<RefreshPolicy['kind'], Words<'mcp_convergence.policy.kind'>>,
      true satisfies Same<Call['outcome'], Words<'mcp_convergence.call.outcome'>>,
      true satisfies Same<Verdict['previous'], Words<'mcp_convergence.previous_verdict'> | undefined>,
    ];
    assert.ok(same.every(Boolean));
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
  const verdict = SAMPLE_VERDICT;

  it('comes back as it was, and names the next step', () => {
    const attributes = encodeVerdict(verdict);
    assert.deepEqual(decodeVerdict(attributes, 5), verdict);
    assert.equal(attributes['mcp_convergence.next_step'], REASONS.definition_changed.nextStep);
  });

  it('is none with a reason that does not exist', () => {
    for (const reason of ['because', '__proto__', 'toString'])
      assert.equal(decodeVerdict({ ...encodeVerdict(verdict), 'mcp_convergence.reason': reason }, 5), undefined);
  });

  it('is none with a reason of another verdict, a word of its own or a note that nobody knows', () => {
    for (const wrong of [
      { 'mcp_convergence.verdict': 'converged' },
      { 'mcp_convergence.verdict': 'fine' },
      { 'mcp_convergence.reason': 'registry_equal' },
      { 'mcp_convergence.previous_verdict': 'fine' },
      { 'mcp_convergence.layer': 'imagined' },
      { 'mcp_convergence.notes': ['filtered', 'odd'] },
    ])
      assert.equal(decodeVerdict({ ...encodeVerdict(verdict), ...wrong }, 5), undefined, JSON.stringify(wrong));
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
