// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The codec between an {@link Observation} and the attributes of the span that carries it, driven by one table of fields per
 * kind. Pure. Decoding gives back exactly what was encoded, or undefined: an attribute that is missing, of another type, a word
 * that the registry does not list or a digest cut short by a limit of the SDK makes no observation at all rather than half of
 * one. A limit that is long enough for digests can still cut names; verdicts rest on the digests.
 */

import type { AttributeMap } from './attribute-fields.ts';
import { type Field, optional, readFields, required, writeFields } from './attribute-fields.ts';
import * as name from './names.ts';
import type { Catalog, CatalogEntry, Observation, ObservationKind, SpanRef } from './observation.ts';
import { decodePolicy, encodePolicy } from './policy-attributes.ts';
import * as upstream from './upstream.ts';

const IDENTITY: readonly Field[] = [
  required('connectionId', name.ATTR_MCP_CONVERGENCE_CONNECTION_ID, 'string'),
  required('sequence', name.ATTR_MCP_CONVERGENCE_SEQUENCE, 'count'),
];

const EPOCH: readonly Field[] = [
  required('id', name.ATTR_MCP_CONVERGENCE_EPOCH_ID, 'string'),
  required('source', name.ATTR_MCP_CONVERGENCE_EPOCH_SOURCE, 'string'),
];

const CATALOG: readonly Field[] = [
  required('recipe', name.ATTR_MCP_CONVERGENCE_CATALOG_PROJECTION, 'string'),
  required('size', name.ATTR_MCP_CONVERGENCE_CATALOG_SIZE, 'count'),
  optional('digest', name.ATTR_MCP_CONVERGENCE_CATALOG_DIGEST, 'hex64'),
  optional('revision', name.ATTR_MCP_CONVERGENCE_CATALOG_REVISION, 'count'),
  optional('duplicates', name.ATTR_MCP_CONVERGENCE_CATALOG_DUPLICATES, 'strings'),
  optional('remote', name.ATTR_MCP_CONVERGENCE_CATALOG_REMOTE_REFERENCES, 'strings'),
  optional('limit', name.ATTR_MCP_CONVERGENCE_LIMIT, 'string'),
];

/** Written apart from the rest, since an empty catalog has an empty list of entries and a large one has none. */
const ENTRIES: readonly Field[] = [
  optional('names', name.ATTR_MCP_CONVERGENCE_CATALOG_TOOL_NAMES, 'strings'),
  optional('digests', name.ATTR_MCP_CONVERGENCE_CATALOG_TOOL_DIGESTS, 'hex32s'),
  optional('masked', name.ATTR_MCP_CONVERGENCE_CATALOG_TOOL_MASKED_DIGESTS, 'hex32s'),
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
    required('startSequence', name.ATTR_MCP_CONVERGENCE_TRAVERSAL_START_SEQUENCE, 'count'),
    required('outcome', name.ATTR_MCP_CONVERGENCE_TRAVERSAL_OUTCOME, 'string'),
    optional('tornBy', name.ATTR_MCP_CONVERGENCE_TRAVERSAL_TORN_BY, 'string'),
    required('pages', name.ATTR_MCP_CONVERGENCE_TRAVERSAL_PAGES, 'count'),
    required('trigger', name.ATTR_MCP_CONVERGENCE_TRAVERSAL_TRIGGER, 'string'),
    optional('signalSequence', name.ATTR_MCP_CONVERGENCE_TRAVERSAL_SIGNAL_SEQUENCE, 'count'),
    required('cursors', name.ATTR_MCP_CONVERGENCE_TRAVERSAL_CURSORS, 'hex16s'),
    optional('ttlMs', name.ATTR_MCP_CONVERGENCE_TRAVERSAL_TTL, 'milliseconds'),
    optional('cacheScope', name.ATTR_MCP_CONVERGENCE_TRAVERSAL_CACHE_SCOPE, 'string'),
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
    required('renamed', name.ATTR_MCP_CONVERGENCE_INSTALLED_RENAMED, 'count'),
    optional('visibility', name.ATTR_MCP_CONVERGENCE_INSTALLED_VISIBILITY, 'string'),
    optional('principal', name.ATTR_MCP_CONVERGENCE_PRINCIPAL, 'hex16'),
  ],
  call: [
    required('tool', upstream.ATTR_GEN_AI_TOOL_NAME, 'string'),
    required('outcome', name.ATTR_MCP_CONVERGENCE_CALL_OUTCOME, 'string'),
    required('startSequence', name.ATTR_MCP_CONVERGENCE_CALL_START_SEQUENCE, 'count'),
    optional('toolDigest', name.ATTR_MCP_CONVERGENCE_TOOL_DIGEST, 'hex32'),
    optional('schemaRevision', name.ATTR_MCP_CONVERGENCE_TOOL_SCHEMA_REVISION, 'count'),
    optional('refusal', name.ATTR_MCP_CONVERGENCE_CALL_REFUSAL, 'string'),
    ERROR_TYPE,
  ],
  operation: [required('method', upstream.ATTR_MCP_METHOD_NAME, 'string'), ERROR_TYPE],
  epoch_changed: [required('cause', name.ATTR_MCP_CONVERGENCE_EPOCH_CAUSE, 'string')],
  principal: [required('principal', name.ATTR_MCP_CONVERGENCE_PRINCIPAL, 'hex16')],
  boundary: [required('boundary', name.ATTR_MCP_CONVERGENCE_BOUNDARY, 'string')],
  connection_closed: [required('cause', name.ATTR_MCP_CONVERGENCE_CONNECTION_CLOSE_CAUSE, 'string')],
};

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
      if (entries.some(({ masked }) => masked !== undefined)) {
        const masked = entries.map((entry) => entry.masked ?? entry.digest);
        attributes[name.ATTR_MCP_CONVERGENCE_CATALOG_TOOL_MASKED_DIGESTS] = masked;
      }
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
  const read = readFields(attributes, ENTRIES) as
    | { names?: string[]; digests?: string[]; masked?: string[] }
    | undefined;
  if (!read) return undefined;
  const { names, digests, masked } = read;
  if (!names && !digests && !masked) return catalog;
  if (names?.length !== catalog.size || digests?.length !== catalog.size) return undefined;
  if (masked && masked.length !== catalog.size) return undefined;
  const entries = names.map((each, index): CatalogEntry => {
    const entry = { name: each, digest: digests[index] as string };
    return masked && masked[index] !== entry.digest ? { ...entry, masked: masked[index] as string } : entry;
  });
  return { ...catalog, entries };
}
