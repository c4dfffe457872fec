// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The members that the engine reads of each kind of observation, and their types; `?` for those that may be absent. */

import type { ObservationKind } from '../../semconv/observation.ts';

type Type = 'string' | 'number' | 'boolean' | 'count' | 'strings' | 'entries' | 'object';
export type Shape = Readonly<Record<string, Type | `${Type}?`>>;

export const IDENTITY_SHAPE: Shape = { connectionId: 'string', sequence: 'count', timeMs: 'number', span: 'object?' };
export const EPOCH_SHAPE: Shape = { id: 'string', source: 'string' };
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
  handshake: { listChanged: 'boolean', tools: 'boolean', serverName: 'string?', protocolVersion: 'string?' },
  coverage: { state: 'string', channel: 'string' },
  signal: { advertised: 'boolean?', malformed: 'boolean', early: 'boolean' },
  traversal: {
    traversalId: 'string',
    startSequence: 'count',
    startTimeMs: 'number',
    outcome: 'string',
    tornBy: 'string?',
    pages: 'count',
    cursors: 'strings',
    ttlMs: 'number?',
  },
  delivered: { source: 'string', partial: 'boolean', traversalId: 'string?' },
  installed: {
    layer: 'string',
    filtered: 'strings',
    withheld: 'strings',
    capped: 'strings',
    rejected: 'strings',
    shadowed: 'strings',
    renamed: 'count',
    policy: 'object?',
  },
  call: { tool: 'string', outcome: 'string', startSequence: 'count' },
  operation: { method: 'string' },
  epoch_changed: { cause: 'string' },
  connection_closed: { cause: 'string' },
};
