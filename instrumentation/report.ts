// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What a host says of its own registry. The one thing that cannot be seen from outside: which definitions an agent chooses
 * from. Does nothing when no connection of ours belongs to the object given, so a host may call it unconditionally.
 */

import { diag } from '@opentelemetry/api';
import type { RefreshPolicy } from '../semconv/observation.ts';
import { isObject } from './json-rpc.ts';
import { wireOf } from './shared-state.ts';

/** Names under one reason; more than this is no accounting but a list of its own. */
const MAX_NAMES = 1000;

export interface InstalledRegistryReport {
  /** Definitions as registered: `{ name, description, inputSchema, ... }`, under the host's names. */
  tools: readonly unknown[];
  /** `installed`: what the agent chooses from. `used`: what one model request carried. @default 'installed' */
  layer?: 'installed' | 'used';
  /** Server names left out on purpose, by a filter or an allow-list. Still converges. */
  filtered?: readonly string[];
  /** Server names known but shown only later or elsewhere (deferred loading, another agent). Still converges. */
  withheld?: readonly string[];
  /** Server names left out because of a limit on the number of tools. Incomplete. */
  capped?: readonly string[];
  /** Server names whose definition the host could not take. Incomplete. */
  rejected?: readonly string[];
  /** Server names hidden by a tool of another server. Incomplete. */
  shadowed?: readonly string[];
  /** Host names by server name, where they differ. */
  renamed?: Readonly<Record<string, string>> | ReadonlyMap<string, string>;
  /** How the registry is kept fresh without signals, or that it is frozen on purpose. */
  policy?: RefreshPolicy;
}

/**
 * Tells the instrumentation what the host registered for one connection. Call it after each (re-)registration.
 * `clientOrTransport` is the SDK client or the transport, or a proxy of the client. Never throws; a report that cannot be
 * read is dropped with a warning through `diag`.
 */
export function reportInstalledRegistry(clientOrTransport: object, report: InstalledRegistryReport): void {
  try {
    const wire = wireOf(clientOrTransport);
    if (!wire) return;
    if (!Array.isArray(report.tools)) {
      diag.warn('mcp-convergence: reportInstalledRegistry needs an array of tool definitions');
      return;
    }
    const hostNames = readRenames(report.renamed);
    const serverNames = new Map([...hostNames].map(([server, host]) => [host, server]));
    const policy = readPolicy(report.policy);
    wire.discovery.installed(
      {
        layer: report.layer === 'used' ? 'used' : 'installed',
        filtered: readNames(report.filtered),
        withheld: readNames(report.withheld),
        capped: readNames(report.capped),
        rejected: readNames(report.rejected),
        shadowed: readNames(report.shadowed),
        renamed: hostNames.size,
        ...(policy && { policy }),
      },
      report.tools.map((tool: unknown) => underServerName(tool, serverNames)),
    );
  } catch (error) {
    diag.warn('mcp-convergence: reportInstalledRegistry could not read the report', error);
  }
}

/** The host's own map is the only way back to a server name; names are never parsed. */
function underServerName(tool: unknown, serverNames: ReadonlyMap<string, string>): unknown {
  if (!isObject(tool) || typeof tool.name !== 'string') return tool;
  const name = serverNames.get(tool.name);
  return name === undefined ? tool : { ...tool, name };
}

function readNames(names: readonly string[] | undefined): readonly string[] {
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string').slice(0, MAX_NAMES) : [];
}

function readRenames(renamed: InstalledRegistryReport['renamed']): ReadonlyMap<string, string> {
  const pairs = renamed instanceof Map ? [...renamed] : Object.entries(renamed ?? {});
  return new Map(pairs.filter(([server, host]) => typeof host === 'string' && host !== server));
}

function readPolicy(policy: RefreshPolicy | undefined): RefreshPolicy | undefined {
  switch (policy?.kind) {
    case undefined:
      return undefined;
    case 'on_reconnect':
    case 'before_run':
    case 'pinned':
      return { kind: policy.kind };
    case 'interval':
      if (Number.isFinite(policy.seconds) && policy.seconds > 0) return { kind: 'interval', seconds: policy.seconds };
  }
  diag.warn('mcp-convergence: reportInstalledRegistry ignores a refresh policy it does not know');
  return undefined;
}
