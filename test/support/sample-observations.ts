// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** A verdict, and observations of every kind, each with all optional fields and with none of them. */

import type { Catalog, Observation } from '../../semconv/observation.ts';
import type { Verdict } from '../../semconv/verdict.ts';

const HEX = '0123456789abcdef0123456789abcdef';
const BASE = {
  connectionId: '01KBC3V8Q0W7Z5T2M4N6P8R0SA',
  sequence: 7,
  timeMs: 1_764_547_200_123.457,
  epoch: { id: '01KBC3V8Q1J4X9Y3B5D7F0H2KC', source: 'process' },
  span: { traceId: HEX, spanId: '0123456789abcdef', traceFlags: 1 },
} as const;

const FULL: Catalog = {
  recipe: 'tools/1',
  size: 3,
  digest: HEX + HEX,
  revision: 2,
  entries: [
    { name: 'a', digest: HEX },
    { name: 'b', digest: HEX },
    { name: 'b', digest: HEX, masked: HEX.replaceAll('0', 'f') },
  ],
  duplicates: ['b'],
  remote: ['a'],
};
const LIMITED: Catalog = { recipe: 'tools/1', size: 5000, limit: 'depth' };
const EMPTY: Catalog = { recipe: 'tools/1', size: 0, digest: HEX + HEX, entries: [] };
const NO_NAMES = { filtered: [], withheld: [], capped: [], rejected: [], shadowed: [] };

export const SAMPLES: readonly Observation[] = [
  { ...BASE, kind: 'connection_opened', transport: 'stdio' },
  { ...BASE, kind: 'connection_opened', transport: 'streamable_http', previousConnectionId: 'before' },
  { ...BASE, kind: 'handshake', method: 'initialize', era: 'legacy', tools: true, listChanged: false },
  {
    ...BASE,
    kind: 'handshake',
    method: 'server/discover',
    era: 'modern',
    protocolVersion: '2026-07-28',
    tools: true,
    listChanged: true,
    serverName: 's',
    serverVersion: '1',
  },
  { ...BASE, kind: 'coverage', state: 'opened', channel: 'pipe' },
  { ...BASE, kind: 'signal', malformed: false, early: true },
  { ...BASE, kind: 'signal', advertised: false, malformed: true, early: false },
  {
    ...BASE,
    kind: 'traversal',
    traversalId: 't',
    startSequence: 3,
    startTimeMs: 1_764_547_200_001.5,
    outcome: 'complete',
    pages: 1,
    trigger: 'app',
    cursors: [],
    catalog: FULL,
  },
  {
    ...BASE,
    kind: 'traversal',
    traversalId: 't',
    startSequence: 3,
    startTimeMs: 1_764_547_200_001.5,
    outcome: 'torn',
    tornBy: 'overlap',
    pages: 2,
    trigger: 'signal',
    signalSequence: 2,
    cursors: ['d4735e3a265e16ee'],
    catalog: LIMITED,
    ttlMs: 60_000.5,
    cacheScope: 'private',
    errorType: '-32602',
  },
  { ...BASE, kind: 'delivered', source: 'cache', partial: false, catalog: EMPTY },
  { ...BASE, kind: 'delivered', source: 'wire', partial: true, traversalId: 't', catalog: FULL },
  {
    ...BASE,
    kind: 'delivered',
    source: 'wire',
    partial: false,
    traversalId: 't',
    catalog: EMPTY,
    errorType: 'rejected',
  },
  { ...BASE, kind: 'installed', layer: 'installed', ...NO_NAMES, renamed: 0, catalog: FULL },
  {
    ...BASE,
    kind: 'installed',
    layer: 'used',
    filtered: ['f'],
    withheld: ['w'],
    capped: ['c'],
    rejected: ['r'],
    shadowed: ['s', 't'],
    renamed: 4,
    catalog: LIMITED,
    policy: { kind: 'interval', seconds: 30 },
    visibility: 'turn',
    principal: '0123456789abcdef',
  },
  {
    ...BASE,
    kind: 'installed',
    layer: 'installed',
    ...NO_NAMES,
    renamed: 0,
    catalog: EMPTY,
    policy: { kind: 'pinned' },
  },
  { ...BASE, kind: 'call', tool: 'a', outcome: 'ok', startSequence: 6 },
  {
    ...BASE,
    kind: 'call',
    tool: 'a',
    outcome: 'error',
    startSequence: 6,
    toolDigest: HEX,
    schemaRevision: 3,
    errorType: '-32602',
    refusal: 'unknown_tool',
  },
  { ...BASE, kind: 'operation', method: 'ping' },
  { ...BASE, kind: 'operation', method: 'tools/list', errorType: 'timeout' },
  { ...BASE, kind: 'epoch_changed', cause: 'session_lost' },
  { ...BASE, kind: 'principal', principal: '0123456789abcdef' },
  { ...BASE, kind: 'boundary', boundary: 'session' },
  { ...BASE, kind: 'connection_closed', cause: 'exit' },
];

/** With every field there is. */
export const SAMPLE_VERDICT: Verdict = {
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
  difference: { added: ['a'], removed: ['r'], changed: ['c'] },
  notes: ['filtered'],
  policy: { kind: 'interval', seconds: 3 },
  signalLagS: 0.5,
  limit: 'depth',
  previous: 'converged',
  serverName: 's',
  protocolVersion: '2025-11-25',
  judged: [],
};
