// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What a host says of itself, since it cannot be seen from outside: which definitions an agent chooses from, for whom it acts,
 * when a change may show. All of it does nothing when no connection of ours belongs to the object given, so a host may call
 * it unconditionally, and nothing of it throws.
 */

import { diag } from '@opentelemetry/api';
import { sha256 } from '../semconv/digest.ts';
import { MAX_TEXT } from '../semconv/limits.ts';
import { SPAN_MCP_CONVERGENCE_BOUNDARY, SPAN_MCP_CONVERGENCE_PRINCIPAL } from '../semconv/names.ts';
import type { Boundary, RefreshPolicy } from '../semconv/observation.ts';
import { isObject } from './json-rpc.ts';
import { wireOf } from './shared-state.ts';
import type { Wire } from './wire.ts';

/** Names under one reason; more than this is no accounting but a list of its own. */
const MAX_NAMES = 1000;
/** Hex digits of a hashed principal: enough to tell principals apart. */
const PRINCIPAL_DIGITS = 16;
const BOUNDARIES: readonly Boundary[] = ['model_call', 'turn', 'session'];

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
  /** The boundary up to which the host promises nothing; an older registry counts as stale only past it. @default at once */
  visibility?: Boundary;
  /** Label of the principal for whom the definitions were obtained, as {@link reportPrincipal} takes it; only its hash is kept. */
  principal?: string;
}

/** The live wire of `target`, for `body`; whatever goes wrong is the report's loss alone. */
function onWire(name: string, target: object, body: (wire: Wire) => void): void {
  try {
    const wire = wireOf(target);
    if (wire) body(wire);
  } catch (error) {
    diag.warn(`mcp-convergence: ${name} could not be taken in`, error);
  }
}

/**
 * Says for whom the connection of a client or transport acts from here on: a user, a tenant, a scope of credentials. A registry
 * that was obtained for another principal, or before this one changed, is stale. Only a hash of the label leaves the process.
 */
export function reportPrincipal(clientOrTransport: object, principal: string): void {
  onWire('reportPrincipal', clientOrTransport, ({ connection }) => {
    if (typeof principal !== 'string') throw new TypeError('a principal is a string');
    connection.note(SPAN_MCP_CONVERGENCE_PRINCIPAL, { kind: 'principal', principal: hashPrincipal(principal) });
  });
}

/**
 * Says that the host passes a boundary at which its registry should show the newest catalog: a model request, a turn, a
 * session. To be called once whatever is due there has been re-registered. Needed only where a report names a `visibility`;
 * a report of layer `used` passes `model_call` by itself.
 */
export function reportBoundary(clientOrTransport: object, boundary: Boundary): void {
  onWire('reportBoundary', clientOrTransport, ({ connection }) => {
    if (!BOUNDARIES.includes(boundary)) throw new TypeError(`a boundary is one of ${BOUNDARIES.join(', ')}`);
    connection.note(SPAN_MCP_CONVERGENCE_BOUNDARY, { kind: 'boundary', boundary });
  });
}

/**
 * Tells the instrumentation what the host registered for one connection. Call it after each (re-)registration.
 * `clientOrTransport` is the SDK client or the transport, or a proxy of the client. Never throws; a report that cannot be
 * read is dropped with a warning through `diag`.
 */
export function reportInstalledRegistry(clientOrTransport: object, report: InstalledRegistryReport): void {
  onWire('reportInstalledRegistry', clientOrTransport, ({ discovery }) => {
    if (!Array.isArray(report.tools)) throw new TypeError('tools is an array of tool definitions');
    const hostNames = readRenames(report.renamed);
    const serverNames = new Map([...hostNames].map(([server, host]) => [host, server]));
    const policy = readPolicy(report.policy);
    const visibility = readVisibility(report.visibility);
    discovery.installed(
      {
        layer: report.layer === 'used' ? 'used' : 'installed',
        filtered: readNames(report.filtered),
        withheld: readNames(report.withheld),
        capped: readNames(report.capped),
        rejected: readNames(report.rejected),
        shadowed: readNames(report.shadowed),
        renamed: hostNames.size,
        ...(policy && { policy }),
        ...(visibility && { visibility }),
        ...(typeof report.principal === 'string' && { principal: hashPrincipal(report.principal) }),
      },
      report.tools.map((tool: unknown) => underServerName(tool, serverNames)),
    );
  });
}

/** The host's own map is the only way back to a server name; names are never parsed. */
function underServerName(tool: unknown, serverNames: ReadonlyMap<string, string>): unknown {
  if (!isObject(tool) || typeof tool.name !== 'string') return tool;
  const name = serverNames.get(tool.name);
  return name === undefined ? tool : { ...tool, name };
}

function readNames(names: readonly string[] | undefined): readonly string[] {
  if (!Array.isArray(names)) return [];
  const texts = names.filter((name) => typeof name === 'string').slice(0, MAX_NAMES);
  return texts.map((name) => name.slice(0, MAX_TEXT));
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

function readVisibility(visibility: Boundary | undefined): Boundary | undefined {
  if (visibility === undefined || BOUNDARIES.includes(visibility)) return visibility;
  diag.warn('mcp-convergence: reportInstalledRegistry ignores a visibility it does not know');
  return undefined;
}

function hashPrincipal(label: string): string {
  return sha256(label).slice(0, PRINCIPAL_DIGITS);
}
