// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The members that the engine reads of each kind of observation, and their types; `?` for those that may be absent. */

import type {
  Coverage,
  EpochSource,
  Handshake,
  Installed,
  ObservationKind,
  RefreshPolicy,
  TraversalOutcome,
} from '../../semconv/observation.ts';

type Type = 'string' | 'number' | 'boolean' | 'count' | 'strings' | 'entries' | 'span' | 'policy';
/** A list stands for one of its words: a word that no rule knows would be decided by none, or take room without bound. */
export type Shape = Readonly<Record<string, Type | `${Type}?` | readonly string[]>>;

const SOURCES: readonly EpochSource[] = ['supervisor', 'process', 'session', 'connection'];
const STATES: readonly Coverage['state'][] = ['opened', 'closed', 'refused'];
const CHANNELS: readonly Coverage['channel'][] = ['pipe', 'socket', 'sse', 'get_stream', 'listen', 'in_memory'];
const OUTCOMES: readonly TraversalOutcome[] = ['complete', 'abandoned', 'failed', 'looped', 'capped', 'torn'];
const LAYERS: readonly Installed['layer'][] = ['installed', 'used'];
const ERAS: readonly Handshake['era'][] = ['legacy', 'modern'];
const POLICIES: readonly RefreshPolicy['kind'][] = ['on_reconnect', 'before_run', 'interval', 'pinned'];

export const IDENTITY_SHAPE: Shape = { connectionId: 'string', sequence: 'count', timeMs: 'number', span: 'span?' };
export const EPOCH_SHAPE: Shape = { id: 'string', source: SOURCES };
export const SPAN_SHAPE: Shape = { traceId: 'string', spanId: 'string', traceFlags: 'count' };
export const POLICY_SHAPE: Shape = { kind: POLICIES, seconds: 'number?' };
export const CATALOG_SHAPE: Shape = {
  recipe: 'string',
  size: 'count',
  digest: 'string?',
  revision: 'count?',
  entries: 'entries?',
  limit: 'string?',
};

export const KIND_SHAPES: Readonly<Record<ObservationKind, Shape>> = {
  connection_opened: { transport: 'string', previousConnectionId: 'string?' },
  handshake: { era: ERAS, listChanged: 'boolean', tools: 'boolean', serverName: 'string?', protocolVersion: 'string?' },
  coverage: { state: STATES, channel: CHANNELS },
  signal: { advertised: 'boolean?', malformed: 'boolean', early: 'boolean' },
  traversal: {
    traversalId: 'string',
    startSequence: 'count',
    startTimeMs: 'number',
    outcome: OUTCOMES,
    tornBy: 'string?',
    pages: 'count',
    cursors: 'strings',
    ttlMs: 'number?',
  },
  delivered: { source: 'string', partial: 'boolean', traversalId: 'string?' },
  installed: {
    layer: LAYERS,
    filtered: 'strings',
    withheld: 'strings',
    capped: 'strings',
    rejected: 'strings',
    shadowed: 'strings',
    renamed: 'count',
    policy: 'policy?',
  },
  call: { tool: 'string', outcome: 'string', startSequence: 'count' },
  operation: { method: 'string' },
  epoch_changed: { cause: 'string' },
  connection_closed: { cause: 'string' },
};
