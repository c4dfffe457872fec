// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The members of each kind of observation and their types, as one table: what a channel, a wire or a file carries is checked
 * against it, and the JSON Schema of a recording is made from it. Pure. Closed sets of words are those of the registry.
 */

import { VALUES } from './names.ts';
import type { ObservationKind } from './observation.ts';

export type Member = Check & { readonly optional: boolean };
export type Shape = Readonly<Record<string, Member>>;

/** `count`: a whole number from 0. `words`: one of a closed set. `text` and `list` are bounded by semconv/limits.ts. */
export type Check =
  | { readonly type: 'text' | 'count' | 'number' | 'boolean' }
  | { readonly type: 'words'; readonly words: readonly string[] }
  | { readonly type: 'list'; readonly of: Check }
  | { readonly type: 'shape'; readonly shape: Shape };

const TEXT: Member = { type: 'text', optional: false };
const COUNT: Member = { type: 'count', optional: false };
const NUMBER: Member = { type: 'number', optional: false };
const BOOLEAN: Member = { type: 'boolean', optional: false };
const TEXTS: Member = { type: 'list', of: TEXT, optional: false };

const optional = (member: Member): Member => ({ ...member, optional: true });
const words = (attribute: keyof typeof VALUES): Member => ({
  type: 'words',
  words: VALUES[attribute],
  optional: false,
});
const shaped = (shape: Shape): Member => ({ type: 'shape', shape, optional: false });

const EPOCH: Shape = { id: TEXT, source: words('mcp_convergence.epoch.source') };
const SPAN: Shape = { traceId: TEXT, spanId: TEXT, traceFlags: COUNT };
const ENTRY: Shape = { name: TEXT, digest: TEXT, masked: optional(TEXT) };
const CATALOG: Member = shaped({
  recipe: TEXT,
  size: COUNT,
  digest: optional(TEXT),
  revision: optional(COUNT),
  entries: optional({ type: 'list', of: shaped(ENTRY), optional: false }),
  duplicates: optional(TEXTS),
  remote: optional(TEXTS),
  limit: optional(TEXT),
});
const POLICY: Shape = { kind: words('mcp_convergence.policy.kind'), seconds: optional(NUMBER) };

/** What every observation has. */
export const IDENTITY_SHAPE: Shape = {
  connectionId: TEXT,
  sequence: COUNT,
  timeMs: NUMBER,
  epoch: shaped(EPOCH),
  span: optional(shaped(SPAN)),
};

export const KIND_SHAPES: Readonly<Record<ObservationKind, Shape>> = {
  connection_opened: {
    transport: words('mcp_convergence.connection.transport'),
    previousConnectionId: optional(TEXT),
  },
  handshake: {
    method: words('mcp_convergence.handshake.method'),
    era: words('mcp_convergence.handshake.era'),
    protocolVersion: optional(TEXT),
    tools: BOOLEAN,
    listChanged: BOOLEAN,
    serverName: optional(TEXT),
    serverVersion: optional(TEXT),
  },
  coverage: {
    state: words('mcp_convergence.coverage.state'),
    channel: words('mcp_convergence.coverage.channel'),
  },
  signal: { advertised: optional(BOOLEAN), malformed: BOOLEAN, early: BOOLEAN },
  traversal: {
    traversalId: TEXT,
    startSequence: COUNT,
    startTimeMs: NUMBER,
    outcome: words('mcp_convergence.traversal.outcome'),
    tornBy: optional(words('mcp_convergence.traversal.torn_by')),
    pages: COUNT,
    trigger: words('mcp_convergence.traversal.trigger'),
    signalSequence: optional(COUNT),
    cursors: TEXTS,
    catalog: CATALOG,
    ttlMs: optional(NUMBER),
    cacheScope: optional(words('mcp_convergence.traversal.cache_scope')),
    errorType: optional(TEXT),
  },
  delivered: {
    source: words('mcp_convergence.delivered.source'),
    traversalId: optional(TEXT),
    catalog: CATALOG,
    partial: BOOLEAN,
    errorType: optional(TEXT),
  },
  installed: {
    // Nobody can install what is only discovered; the attribute has that word for verdicts.
    layer: { type: 'words', words: ['installed', 'used'], optional: false },
    catalog: CATALOG,
    filtered: TEXTS,
    withheld: TEXTS,
    capped: TEXTS,
    rejected: TEXTS,
    shadowed: TEXTS,
    renamed: COUNT,
    policy: optional(shaped(POLICY)),
    visibility: optional(words('mcp_convergence.installed.visibility')),
    principal: optional(TEXT),
  },
  call: {
    tool: TEXT,
    outcome: words('mcp_convergence.call.outcome'),
    errorType: optional(TEXT),
    startSequence: COUNT,
    toolDigest: optional(TEXT),
    schemaRevision: optional(COUNT),
    refusal: optional(words('mcp_convergence.call.refusal')),
  },
  operation: { method: TEXT, errorType: optional(TEXT) },
  epoch_changed: { cause: words('mcp_convergence.epoch.cause') },
  principal: { principal: TEXT },
  boundary: { boundary: words('mcp_convergence.boundary') },
  connection_closed: { cause: words('mcp_convergence.connection.close_cause') },
};
