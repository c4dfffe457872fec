// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The codec between an {@link Observation} and the attributes of the span that carries it, driven by one table of fields per
 * kind. Pure. Decoding gives back exactly what was encoded, or undefined: an attribute that is missing, of another type or
 * cut short by a limit of the SDK makes no observation at all rather than half of one.
 */

import type { AttributeMap } from './attribute-fields.ts';
import { type Field, optional, readFields, required, writeFields } from './attribute-fields.ts';
import * as name from './names.ts';
import type { Catalog, CatalogEntry, Observation, ObservationKind, SpanRef } from './observation.ts';
import { decodePolicy, encodePolicy } from './policy-attributes.ts';
import * as upstream from './upstream.ts';

const IDENTITY: readonly Field[] = [
  required('connectionId', name.ATTR_MCP_CONVERGENCE_CONNECTION_ID, 'string'),
  required('sequence', name.ATTR_MCP_CONVERGENCE_SEQUENCE, 'number'),
];

const EPOCH: readonly Field[] = [
  required('id', name.ATTR_MCP_CONVERGENCE_EPOCH_ID, 'string'),
  required('source', name.ATTR_MCP_CONVERGENCE_EPOCH_SOURCE, 'string'),
];

const CATALOG: readonly Field[] = [
  required('recipe', name.ATTR_MCP_CONVERGENCE_CATALOG_PROJECTION, 'string'),
  required('size', name.ATTR_MCP_CONVERGENCE_CATALOG_SIZE, 'number'),
  optional('digest', name.ATTR_MCP_CONVERGENCE_CATALOG_DIGEST, 'string'),
  optional('revision', name.ATTR_MCP_CONVERGENCE_CATALOG_REVISION, 'number'),
  optional('duplicates', name.ATTR_MCP_CONVERGENCE_CATALOG_DUPLICATES, 'strings'),
  optional('limit', name.ATTR_MCP_CONVERGENCE_LIMIT, 'string'),
];

const ERROR_TYPE = optional('errorType', upstream.ATTR_ERROR_TYPE, 'string');

/** Fields of each kind besides identity, epoch, catalog and policy. */
const FIELDS: Readonly<Record<ObservationKind, readonly Field[]>> = {
  connection_opened: [
    required('transport', name.ATTR_MCP_CONVERGENCE_CONNECTION_TRANSPORT, 'string'),
    optional('previousConnectionId', name.ATTR_MCP_CONVERGENCE_CONNECTION_PREVIOUS_ID, 'string'),
  ],
  handshake: [
    required('method', name.ATTR_MCP_CONVERGENCE_HANDSHAKE_METHOD, 'string'),
    required('era', name.ATTR_MCP_CONVERGENCE_HANDSHAKE_ERA, 'string'),
    optional('protocolVersion', upstream.ATTR_MCP_PROTOCOL_VERSION, 'string'),
    required('tools', name.ATTR_MCP_CONVERGENCE_HANDSHAKE_TOOLS, 'boolean'),
    required('listChanged', name.ATTR_MCP_CONVERGENCE_HANDSHAKE_LIST_CHANGED, 'boolean'),
    optional('serverName', name.ATTR_MCP_CONVERGENCE_SERVER_NAME, 'string'),
    optional('serverVersion', name.ATTR_MCP_CONVERGENCE_SERVER_VERSION, 'string'),
  ],
  coverage: [
    required('state', name.ATTR_MCP_CONVERGENCE_COVERAGE_STATE, 'string'),
    required('channel', name.ATTR_MCP_CONVERGENCE_COVERAGE_CHANNEL, 'string'),
  ],
  signal: [
    optional('advertised', name.ATTR_MCP_CONVERGENCE_SIGNAL_ADVERTISED, 'boolean'),
    required('malformed', name.ATTR_MCP_CONVERGENCE_SIGNAL_MALFORMED, 'boolean'),
    required('early', name.ATTR_MCP_CONVERGENCE_SIGNAL_EARLY, 'boolean'),
  ],
  traversal: [
    required('traversalId', name.ATTR_MCP_CONVERGENCE_TRAVERSAL_ID, 'string'),
    required('startSequence', name.ATTR_MCP_CONVERGENCE_TRAVERSAL_START_SEQUENCE, 'number'),
    required('outcome', name.ATTR_MCP_CONVERGENCE_TRAVERSAL_OUTCOME, 'string'),
    optional('tornBy', name.ATTR_MCP_CONVERGENCE_TRAVERSAL_TORN_BY, 'string'),
    required('pages', name.ATTR_MCP_CONVERGENCE_TRAVERSAL_PAGES, 'number'),
    required('trigger', name.ATTR_MCP_CONVERGENCE_TRAVERSAL_TRIGGER, 'string'),
    optional('signalSequence', name.ATTR_MCP_CONVERGENCE_TRAVERSAL_SIGNAL_SEQUENCE, 'number'),
    required('cursors', name.ATTR_MCP_CONVERGENCE_TRAVERSAL_CURSORS, 'strings'),
    optional('ttlMs', name.ATTR_MCP_CONVERGENCE_TRAVERSAL_TTL, 'milliseconds'),
    ERROR_TYPE,
  ],
  delivered: [
    required('source', name.ATTR_MCP_CONVERGENCE_DELIVERED_SOURCE, 'string'),
    required('partial', name.ATTR_MCP_CONVERGENCE_DELIVERED_PARTIAL, 'boolean'),
    optional('traversalId', name.ATTR_MCP_CONVERGENCE_TRAVERSAL_ID, 'string'),
  ],
  installed: [
    required('layer', name.ATTR_MCP_CONVERGENCE_LAYER, 'string'),
    required('filtered', name.ATTR_MCP_CONVERGENCE_INSTALLED_FILTERED, 'strings'),
    required('withheld', name.ATTR_MCP_CONVERGENCE_INSTALLED_WITHHELD, 'strings'),
    required('capped', name.ATTR_MCP_CONVERGENCE_INSTALLED_CAPPED, 'strings'),
    required('rejected', name.ATTR_MCP_CONVERGENCE_INSTALLED_REJECTED, 'strings'),
    required('shadowed', name.ATTR_MCP_CONVERGENCE_INSTALLED_SHADOWED, 'strings'),
    required('renamed', name.ATTR_MCP_CONVERGENCE_INSTALLED_RENAMED, 'number'),
  ],
  call: [
    required('tool', upstream.ATTR_GEN_AI_TOOL_NAME, 'string'),
    required('outcome', name.ATTR_MCP_CONVERGENCE_CALL_OUTCOME, 'string'),
    required('startSequence', name.ATTR_MCP_CONVERGENCE_CALL_START_SEQUENCE, 'number'),
    optional('toolDigest', name.ATTR_MCP_CONVERGENCE_TOOL_DIGEST, 'string'),
    optional('schemaRevision', name.ATTR_MCP_CONVERGENCE_TOOL_SCHEMA_REVISION, 'number'),
    ERROR_TYPE,
  ],
  operation: [required('method', upstream.ATTR_MCP_METHOD_NAME, 'string'), ERROR_TYPE],
  epoch_changed: [required('cause', name.ATTR_MCP_CONVERGENCE_EPOCH_CAUSE, 'string')],
  connection_closed: [required('cause', name.ATTR_MCP_CONVERGENCE_CONNECTION_CLOSE_CAUSE, 'string')],
};

const HEX_32 = /^[0-9a-f]{32}$/;
const HEX_64 = /^[0-9a-f]{64}$/;

/** The attributes that carry `observation`; its time and its span's ids travel as the span's own. */
export function encodeObservation(observation: Observation): AttributeMap {
  const attributes: AttributeMap = { [name.ATTR_MCP_CONVERGENCE_OBSERVATION_KIND]: observation.kind };
  writeFields(attributes, IDENTITY, observation);
  writeFields(attributes, EPOCH, observation.epoch);
  writeFields(attributes, FIELDS[observation.kind], observation);
  if ('catalog' in observation) {
    writeFields(attributes, CATALOG, observation.catalog);
    const { entries } = observation.catalog;
    if (entries) {
      attributes[name.ATTR_MCP_CONVERGENCE_CATALOG_TOOL_NAMES] = entries.map((entry) => entry.name);
      attributes[name.ATTR_MCP_CONVERGENCE_CATALOG_TOOL_DIGESTS] = entries.map((entry) => entry.digest);
    }
  }
  if (observation.kind === 'installed') encodePolicy(attributes, observation.policy);
  return attributes;
}

/** Where a decoded observation gets its times from: the span's start and end, Unix milliseconds. */
export interface SpanTiming {
  readonly startTimeMs: number;
  readonly endTimeMs: number;
  readonly span?: SpanRef;
}

/** Undefined for spans of others, and for ours when anything about them is not as it was written. */
export function decodeObservation(
  attributes: Readonly<Record<string, unknown>>,
  timing: SpanTiming,
): Observation | undefined {
  const kind = attributes[name.ATTR_MCP_CONVERGENCE_OBSERVATION_KIND];
  if (typeof kind !== 'string' || !Object.hasOwn(FIELDS, kind)) return undefined;
  const identity = readFields(attributes, IDENTITY);
  const epoch = readFields(attributes, EPOCH);
  const fields = readFields(attributes, FIELDS[kind as ObservationKind]);
  if (!identity || !epoch || !fields) return undefined;
  const observation: Record<string, unknown> = { kind, ...identity, timeMs: timing.endTimeMs, epoch, ...fields };
  if (timing.span) observation.span = timing.span;
  if (kind === 'traversal') observation.startTimeMs = timing.startTimeMs;
  if (kind === 'traversal' || kind === 'delivered' || kind === 'installed') {
    const catalog = decodeCatalog(attributes);
    if (!catalog) return undefined;
    observation.catalog = catalog;
  }
  const policy = kind === 'installed' ? decodePolicy(attributes) : {};
  return policy && ({ ...observation, ...policy } as unknown as Observation);
}

function decodeCatalog(attributes: Readonly<Record<string, unknown>>): Catalog | undefined {
  const catalog = readFields(attributes, CATALOG) as unknown as Catalog | undefined;
  if (!catalog || (catalog.digest === undefined) === (catalog.limit === undefined)) return undefined;
  if (catalog.digest !== undefined && !HEX_64.test(catalog.digest)) return undefined;
  const names = attributes[name.ATTR_MCP_CONVERGENCE_CATALOG_TOOL_NAMES];
  const digests = attributes[name.ATTR_MCP_CONVERGENCE_CATALOG_TOOL_DIGESTS];
  if (names === undefined && digests === undefined) return catalog;
  if (!Array.isArray(names) || !Array.isArray(digests) || names.length !== digests.length) return undefined;
  if (names.length !== catalog.size || !digests.every((digest) => HEX_32.test(String(digest)))) return undefined;
  const entries: CatalogEntry[] = names.map((each, index) => ({ name: String(each), digest: String(digests[index]) }));
  return { ...catalog, entries };
}
