// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * One client-to-server connection, from transport start to close: its identity, epoch and sequence, what was negotiated,
 * and the windows in which a signal could arrive. Every observation of the connection leaves through `record` or `note`,
 * so that each takes exactly one number and rides on exactly one span.
 */

import type { Context, Span } from '@opentelemetry/api';
import {
  ATTR_MCP_CONVERGENCE_CATALOG_DIGEST,
  ATTR_MCP_CONVERGENCE_CATALOG_PROJECTION,
  ATTR_MCP_CONVERGENCE_CATALOG_REVISION,
  ATTR_MCP_CONVERGENCE_CONNECTION_ID,
  ATTR_MCP_CONVERGENCE_EPOCH_ID,
  ATTR_MCP_CONVERGENCE_EPOCH_SOURCE,
  SPAN_MCP_CONVERGENCE_HANDSHAKE,
} from '../semconv/names.ts';
import type {
  ConnectionClosed,
  Coverage,
  Epoch,
  EpochChanged,
  Handshake,
  Observation,
  TransportKind,
} from '../semconv/observation.ts';
import { encodeObservation } from '../semconv/observation-attributes.ts';
import { CatalogLedger } from './catalog-ledger.ts';
import { readClock } from './clock.ts';
import type { Endpoint, Simple } from './describe-operation.ts';
import { mintId } from './ids.ts';
import type { Observer } from './observer.ts';

type Minted = 'connectionId' | 'sequence' | 'timeMs' | 'epoch' | 'span';
/** An observation before the connection has put its own fields on. */
export type SightingOf<T> = T extends unknown ? Omit<T, Minted> : never;
export type Sighting = SightingOf<Observation>;

export interface NoteOptions {
  readonly parent?: Context;
  readonly links?: readonly Span[];
}

export class Connection {
  readonly id: string = mintId();
  readonly observer: Observer;
  readonly kind: TransportKind;
  readonly endpoint: Endpoint;
  readonly catalogs: CatalogLedger = new CatalogLedger();
  readonly openedMs: number = readClock();
  handshake: SightingOf<Handshake> | undefined;
  /** Version that the newest request or handshake named. */
  protocolVersion: string | undefined;
  /** Only what the server issued; never invented. */
  sessionId: string | undefined;
  /** `notifications/initialized` has gone out; before that neither SDK has a handler for signals. */
  initialized = false;
  #epoch: Epoch;
  #sequence = 0;
  #closed = false;
  readonly #onEpochChange = new Set<() => void>();
  readonly #openChannels = new Set<Coverage['channel']>();

  constructor(observer: Observer, kind: TransportKind, endpoint: Endpoint, previous: Connection | undefined) {
    this.observer = observer;
    this.kind = kind;
    this.endpoint = endpoint;
    this.#epoch = { id: mintId(), source: kind === 'stdio' ? 'process' : 'connection' };
    this.note('mcp_convergence.connection.opened', {
      kind: 'connection_opened',
      transport: kind,
      ...(previous && { previousConnectionId: previous.id }),
    });
  }

  get epoch(): Epoch {
    return this.#epoch;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** The number that the next observation will get. */
  get nextSequence(): number {
    return this.#sequence + 1;
  }

  onEpochChange(listener: () => void): void {
    this.#onEpochChange.add(listener);
  }

  /** Attributes of every span, known when it starts. */
  identify(): Simple {
    return {
      [ATTR_MCP_CONVERGENCE_CONNECTION_ID]: this.id,
      [ATTR_MCP_CONVERGENCE_EPOCH_ID]: this.#epoch.id,
      [ATTR_MCP_CONVERGENCE_EPOCH_SOURCE]: this.#epoch.source,
    };
  }

  /** Attributes of every MCP span: identity, and the newest complete catalog. */
  describe(): Simple {
    const attributes = this.identify();
    const catalog = this.catalogs.newest;
    if (catalog?.digest !== undefined) {
      attributes[ATTR_MCP_CONVERGENCE_CATALOG_DIGEST] = catalog.digest;
      attributes[ATTR_MCP_CONVERGENCE_CATALOG_PROJECTION] = catalog.recipe;
      if (catalog.revision !== undefined) attributes[ATTR_MCP_CONVERGENCE_CATALOG_REVISION] = catalog.revision;
    }
    return attributes;
  }

  /** Puts the observation on `span`, ends it, and publishes. */
  record(
    span: Span,
    sighting: Sighting,
    options: { readonly more?: Simple; readonly error?: string | undefined } = {},
  ): void {
    const { telemetry } = this.observer;
    this.#sequence += 1;
    const ref = telemetry.refOf(span);
    const observation = {
      ...sighting,
      connectionId: this.id,
      sequence: this.#sequence,
      timeMs: readClock(),
      epoch: this.#epoch,
      ...(ref && { span: ref }),
    } as Observation;
    const attributes = span.isRecording() ? { ...options.more, ...encodeObservation(observation) } : {};
    try {
      telemetry.endSpan(span, observation.timeMs, attributes, options.error);
    } finally {
      // Verdicts do not depend on what a span processor makes of a span.
      this.observer.publish(observation);
    }
  }

  /** An observation without an MCP message of its own, on a short INTERNAL span. */
  note(spanName: string, sighting: Sighting, options: NoteOptions = {}): void {
    const { telemetry } = this.observer;
    const parent = options.parent ?? telemetry.activeContext();
    const span = telemetry.startSpan(spanName, 'internal', readClock(), this.identify(), parent, options.links);
    this.record(span, sighting);
  }

  /** A handshake that did not cross this connection, as the SDK tells of it. */
  adopt(handshake: SightingOf<Handshake>): void {
    this.note(SPAN_MCP_CONVERGENCE_HANDSHAKE, handshake);
    this.initialized = true;
    this.shake(handshake);
  }

  /** The handshake is done; its observation is recorded already. */
  shake(handshake: SightingOf<Handshake>): void {
    this.handshake = handshake;
    this.protocolVersion = handshake.protocolVersion ?? this.protocolVersion;
    const channel = handshake.era === 'legacy' ? LEGACY_CHANNELS[this.kind] : undefined;
    if (channel) this.cover(channel, 'opened');
  }

  covers(channel: Coverage['channel']): boolean {
    return this.#openChannels.has(channel);
  }

  cover(channel: Coverage['channel'], state: Coverage['state'], parent?: Context): void {
    if (this.#closed || (state === 'opened') === this.#openChannels.has(channel)) return;
    if (state === 'opened') this.#openChannels.add(channel);
    else this.#openChannels.delete(channel);
    this.note('mcp_convergence.coverage', { kind: 'coverage', state, channel }, parent ? { parent } : {});
  }

  /** GET 405 or a listen without tools: there never was a window to close. */
  refuse(channel: Coverage['channel']): void {
    if (this.#openChannels.has(channel)) this.cover(channel, 'closed');
    else if (!this.#closed) this.note('mcp_convergence.coverage', { kind: 'coverage', state: 'refused', channel });
  }

  /** Other code may answer from here on, although the connection lives. */
  renewEpoch(cause: EpochChanged['cause']): void {
    if (this.#closed) return;
    this.#epoch = { id: mintId(), source: this.sessionId === undefined ? 'connection' : 'session' };
    this.catalogs.forget();
    // A stream of the session that is over is no window on the next one.
    for (const channel of this.#openChannels) if (!LIFELONG.has(channel)) this.#openChannels.delete(channel);
    for (const listener of this.#onEpochChange) listener();
    this.note('mcp_convergence.epoch.changed', { kind: 'epoch_changed', cause });
  }

  /** Follows the session id that the server issued; another one means another session, so another epoch. */
  seeSession(sessionId: string | undefined): void {
    if (sessionId === undefined || sessionId === this.sessionId) return;
    const first = this.sessionId === undefined;
    this.sessionId = sessionId;
    if (first) this.#epoch = { ...this.#epoch, source: 'session' };
    else this.renewEpoch('session_changed');
  }

  close(cause: ConnectionClosed['cause']): void {
    if (this.#closed) return;
    try {
      this.note('mcp_convergence.connection.closed', { kind: 'connection_closed', cause });
    } finally {
      this.#closed = true;
    }
  }
}

/** Channels that cannot close before the connection does. */
const LIFELONG: ReadonlySet<Coverage['channel']> = new Set(['pipe', 'socket', 'in_memory']);

/** Where a legacy server's signals arrive as soon as the handshake is done. Streamable HTTP needs its GET stream first. */
const LEGACY_CHANNELS: Readonly<Record<TransportKind, Coverage['channel'] | undefined>> = {
  stdio: 'pipe',
  websocket: 'socket',
  sse: 'sse',
  in_memory: 'in_memory',
  // Whether the server can speak through it unasked, nobody knows.
  custom: undefined,
  streamable_http: undefined,
};
