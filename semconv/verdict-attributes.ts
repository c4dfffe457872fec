// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The codec between a {@link Verdict} and the attributes of its event and span. Pure. Links to judged spans travel as such. */

import type { AttributeMap } from './attribute-fields.ts';
import { type Field, optional, readFields, required, writeFields } from './attribute-fields.ts';
import * as name from './names.ts';
import { decodePolicy, encodePolicy } from './policy-attributes.ts';
import * as upstream from './upstream.ts';
import type { Verdict } from './verdict.ts';

const FIELDS: readonly Field[] = [
  required('verdict', name.ATTR_MCP_CONVERGENCE_VERDICT, 'string'),
  required('reason', name.ATTR_MCP_CONVERGENCE_REASON, 'string'),
  required('layer', name.ATTR_MCP_CONVERGENCE_LAYER, 'string'),
  required('connectionId', name.ATTR_MCP_CONVERGENCE_CONNECTION_ID, 'string'),
  required('sequence', name.ATTR_MCP_CONVERGENCE_SEQUENCE, 'count'),
  required('evidence', name.ATTR_MCP_CONVERGENCE_EVIDENCE, 'string'),
  optional('recipe', name.ATTR_MCP_CONVERGENCE_CATALOG_PROJECTION, 'string'),
  optional('discoveredDigest', name.ATTR_MCP_CONVERGENCE_DISCOVERED_DIGEST, 'string'),
  optional('discoveredRevision', name.ATTR_MCP_CONVERGENCE_DISCOVERED_REVISION, 'count'),
  optional('installedDigest', name.ATTR_MCP_CONVERGENCE_INSTALLED_DIGEST, 'string'),
  optional('installedRevision', name.ATTR_MCP_CONVERGENCE_INSTALLED_REVISION, 'count'),
  required('notes', name.ATTR_MCP_CONVERGENCE_NOTES, 'strings'),
  optional('signalLagS', name.ATTR_MCP_CONVERGENCE_SIGNAL_LAG, 'number'),
  optional('limit', name.ATTR_MCP_CONVERGENCE_LIMIT, 'string'),
  optional('previous', name.ATTR_MCP_CONVERGENCE_PREVIOUS_VERDICT, 'string'),
  optional('serverName', name.ATTR_MCP_CONVERGENCE_SERVER_NAME, 'string'),
  optional('protocolVersion', upstream.ATTR_MCP_PROTOCOL_VERSION, 'string'),
];

const EPOCH: readonly Field[] = [
  required('id', name.ATTR_MCP_CONVERGENCE_EPOCH_ID, 'string'),
  required('source', name.ATTR_MCP_CONVERGENCE_EPOCH_SOURCE, 'string'),
];

const DIFFERENCE: readonly Field[] = [
  required('added', name.ATTR_MCP_CONVERGENCE_TOOLS_ADDED, 'strings'),
  required('removed', name.ATTR_MCP_CONVERGENCE_TOOLS_REMOVED, 'strings'),
  required('changed', name.ATTR_MCP_CONVERGENCE_TOOLS_CHANGED, 'strings'),
];

/** The attributes of the verdict event, the safe next step included. */
export function encodeVerdict(verdict: Verdict): AttributeMap {
  const attributes: AttributeMap = {};
  writeFields(attributes, FIELDS, verdict);
  writeFields(attributes, EPOCH, verdict.epoch);
  writeFields(attributes, DIFFERENCE, verdict.difference);
  encodePolicy(attributes, verdict.policy);
  attributes[name.ATTR_MCP_CONVERGENCE_NEXT_STEP] = name.REASONS[verdict.reason].nextStep;
  return attributes;
}

/** Undefined when the attributes are not those of a verdict event, or its reason belongs to another verdict. */
export function decodeVerdict(attributes: Readonly<Record<string, unknown>>, timeMs: number): Verdict | undefined {
  const fields = readFields(attributes, FIELDS);
  const epoch = readFields(attributes, EPOCH);
  const difference = readFields(attributes, DIFFERENCE);
  const policy = decodePolicy(attributes);
  if (!fields || !epoch || !difference || !policy) return undefined;
  if (name.REASONS[fields.reason as name.Reason].verdict !== fields.verdict) return undefined;
  return { ...fields, timeMs, epoch, difference, judged: [], ...policy } as unknown as Verdict;
}
