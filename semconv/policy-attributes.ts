// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The codec of a refresh policy, which observations and verdicts carry alike. Pure. */

import { type AttributeMap, type Field, optional, readFields, writeFields } from './attribute-fields.ts';
import { ATTR_MCP_CONVERGENCE_POLICY_INTERVAL, ATTR_MCP_CONVERGENCE_POLICY_KIND } from './names.ts';
import type { RefreshPolicy } from './observation.ts';

const FIELDS: readonly Field[] = [
  optional('kind', ATTR_MCP_CONVERGENCE_POLICY_KIND, 'string'),
  optional('seconds', ATTR_MCP_CONVERGENCE_POLICY_INTERVAL, 'number'),
];

export function encodePolicy(attributes: AttributeMap, policy: RefreshPolicy | undefined): void {
  if (policy) writeFields(attributes, FIELDS, policy);
}

/** The member to spread into what carries the policy, empty without one; undefined when the attributes make no sense. */
export function decodePolicy(
  attributes: Readonly<Record<string, unknown>>,
): { readonly policy?: RefreshPolicy } | undefined {
  const policy = readFields(attributes, FIELDS);
  if (!policy) return undefined;
  if ((policy.kind === 'interval') !== (policy.seconds !== undefined)) return undefined;
  return policy.kind === undefined ? {} : { policy: policy as unknown as RefreshPolicy };
}
