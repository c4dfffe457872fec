// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The observation: the one thing that instrumentation and processor share. Instrumentation publishes observations on a
 * diagnostics channel and writes each one, whole, onto exactly one span; a front end gets the same plain data back from
 * either side. Types only; how an observation becomes span attributes and back is in `observation-attributes.ts`.
 *
 * Order is by `sequence`, never by clock: it counts the observations of one connection from 1 without gaps, so a
 * missing number is a lost observation (sampling, a dropped batch) and a repeated one is a duplicate.
 */

/** Name of the `node:diagnostics_channel` on which instrumentation publishes every {@link Observation}. */
export const OBSERVATION_CHANNEL = 'mcp-convergence:observation';

/** Who minted the epoch id, weakest last. Never the server itself. */
export type EpochSource = 'supervisor' | 'process' | 'session' | 'connection';

/** The code that currently answers calls, as far as an observer other than the server can tell. */
export interface Epoch {
  /** Sortable by time of minting, unique per start, 26 characters of Crockford base32. */
  readonly id: string;
  readonly source: EpochSource;
}

/** One tool of a catalog, reduced to what may leave the process. */
export interface CatalogEntry {
  readonly name: string;
  /** First 32 hex digits of the sha256 over the canonical JSON of this tool's projection. */
  readonly digest: string;
  /**
   * The same with volatile pieces of its prose masked, by `semconv/volatile.ts`. Absent when there are none, so that
   * `masked ?? digest` tells definitions apart but for such pieces.
   */
  readonly masked?: string;
}

/**
 * A set of tool definitions, reduced. Exactly one of two shapes: with `digest`, the whole set was digested; without it
 * `limit` names the bound that was hit (a schema too deep, too large or cyclic; too many tools).
 */
export interface Catalog {
  /** Version of the projection recipe, `tools/1`. Digests of different recipes are never compared. */
  readonly recipe: string;
  /** Number of definitions, duplicates by name included. */
  readonly size: number;
  /** 64 hex digits of sha256 over the canonical JSON of the projection. */
  readonly digest?: string;
  /** Ordinal of this digest among the distinct digests of the connection's discovered catalogs, from 1. */
  readonly revision?: number;
  /** Sorted by name. Absent when there are more tools than the entries limit. */
  readonly entries?: readonly CatalogEntry[];
  /** Names that occur more than once, bounded. */
  readonly duplicates?: readonly string[];
  /** Names of tools whose schemas refer to another document, which may change while the digest does not; bounded. */
  readonly remote?: readonly string[];
  /** The bound that was hit, as `semconv/limits.ts` calls it. */
  readonly limit?: string;
}

/** W3C identity of the span that carried an observation; used for links, not encoded as attributes. */
export interface SpanRef {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

interface ObservationBase {
  readonly connectionId: string;
  /** From 1, without gaps, per connection. */
  readonly sequence: number;
  /** Unix time in milliseconds, rounded to the microsecond; the end of the span that carries the observation. */
  readonly timeMs: number;
  /** The epoch in force after this observation. */
  readonly epoch: Epoch;
  readonly span?: SpanRef;
}

export type TransportKind = 'stdio' | 'streamable_http' | 'sse' | 'websocket' | 'in_memory' | 'custom';

/** A transport was started. */
export interface ConnectionOpened extends ObservationBase {
  readonly kind: 'connection_opened';
  readonly transport: TransportKind;
  /** The connection that the same client object had before this one. */
  readonly previousConnectionId?: string;
}

/** `initialize` or `server/discover` was answered. Absent for resumed sessions and for adopted discover results. */
export interface Handshake extends ObservationBase {
  readonly kind: 'handshake';
  readonly method: 'initialize' | 'server/discover';
  /** `modern` from protocol version 2026-07-28 on. */
  readonly era: 'legacy' | 'modern';
  readonly protocolVersion?: string;
  /** The server declared `capabilities.tools`. */
  readonly tools: boolean;
  /** The server declared `capabilities.tools.listChanged`. Not evidence that it will ever send one. */
  readonly listChanged: boolean;
  /** Self-reported identity; a label, never an epoch. */
  readonly serverName?: string;
  readonly serverVersion?: string;
}

/** The channel on which a signal could arrive opened or closed. Outside an open window silence means nothing. */
export interface Coverage extends ObservationBase {
  readonly kind: 'coverage';
  /** `refused`: the server said that this channel does not exist (GET 405, listen acknowledged without tools). */
  readonly state: 'opened' | 'closed' | 'refused';
  readonly channel: 'pipe' | 'socket' | 'sse' | 'get_stream' | 'listen' | 'in_memory';
}

/** `notifications/tools/list_changed` was received. */
export interface Signal extends ObservationBase {
  readonly kind: 'signal';
  /** False when the server declared no `listChanged`; undefined when no handshake was seen. */
  readonly advertised?: boolean;
  /** The frame breaks the schema, so a strict SDK will reject it; it is evidence all the same. */
  readonly malformed: boolean;
  /** Received before the handshake was complete, where both SDKs have no handler yet. */
  readonly early: boolean;
}

export type TraversalOutcome = 'complete' | 'abandoned' | 'failed' | 'looped' | 'capped' | 'torn';

/** A walk over `tools/list` ended, in whatever way. */
export interface Traversal extends ObservationBase {
  readonly kind: 'traversal';
  readonly traversalId: string;
  /** The sequence number that was next when the first page was requested: signals below it came before the walk. */
  readonly startSequence: number;
  readonly startTimeMs: number;
  readonly outcome: TraversalOutcome;
  /** Only with `torn`. `ambiguous`: two walks at once could not be told apart by their cursors. */
  readonly tornBy?: 'signal' | 'overlap' | 'epoch' | 'ambiguous';
  /** Pages received. */
  readonly pages: number;
  /** Why the walk was made: the app asked, a signal caused it, or the SDK did it inside a tool call. */
  readonly trigger: 'app' | 'signal' | 'call';
  /** With `trigger: 'signal'`: the sequence number of that signal. */
  readonly signalSequence?: number;
  /** First 16 hex digits of the sha256 of each `nextCursor` seen, in order, bounded. */
  readonly cursors: readonly string[];
  /** What was received, also of an unfinished walk. Revision only when the outcome is `complete`. */
  readonly catalog: Catalog;
  /** Smallest `ttlMs` of its pages, when every page had one. */
  readonly ttlMs?: number;
  /** `private` when any page said so, `public` when every page did (MCP 2026-07-28, caching). */
  readonly cacheScope?: 'public' | 'private';
  /** `error.type` of the page that failed. */
  readonly errorType?: string;
}

/** A `listTools` call of the SDK returned to its caller. */
export interface Delivered extends ObservationBase {
  readonly kind: 'delivered';
  /** `cache`: no request went out, the SDK answered. `none`: the SDK answered an empty list without asking. */
  readonly source: 'wire' | 'cache' | 'none';
  readonly traversalId?: string;
  /** As returned, so after whatever the SDK dropped. One page where the SDK returns pages. */
  readonly catalog: Catalog;
  /** The returned list says that more pages follow. */
  readonly partial: boolean;
}

/** A way of keeping a registry fresh without signals, as the host declares it. */
export type RefreshPolicy =
  | { readonly kind: 'on_reconnect' }
  | { readonly kind: 'before_run' }
  | { readonly kind: 'interval'; readonly seconds: number }
  /** The registry is frozen on purpose: still stale as a fact, but alerts may skip it. */
  | { readonly kind: 'pinned' };

/**
 * Where a host promises that a change shows: a model request, a turn of the conversation, a session. Each begins one of the
 * kind before it.
 */
export type Boundary = 'model_call' | 'turn' | 'session';

/** The host said what it registered. */
export interface Installed extends ObservationBase {
  readonly kind: 'installed';
  readonly layer: 'installed' | 'used';
  /** Registered definitions under the server's names. */
  readonly catalog: Catalog;
  /** Discovered names that the host left out, each under the reason it gave. */
  readonly filtered: readonly string[];
  readonly withheld: readonly string[];
  readonly capped: readonly string[];
  readonly rejected: readonly string[];
  readonly shadowed: readonly string[];
  /** How many tools carry a host name of their own. */
  readonly renamed: number;
  readonly policy?: RefreshPolicy;
  /** Up to this boundary an older registry is no fault; without it the host promises to follow at once. */
  readonly visibility?: Boundary;
  /** For whom the definitions were obtained, as {@link PrincipalSet} says it. */
  readonly principal?: string;
}

/** A `tools/call` ended. */
export interface Call extends ObservationBase {
  readonly kind: 'call';
  readonly tool: string;
  /** `input_required`: the server asked for more, the client will send the call again under a new id. */
  readonly outcome: 'ok' | 'tool_error' | 'error' | 'cancelled' | 'timeout' | 'input_required';
  /** JSON-RPC error code or error class. */
  readonly errorType?: string;
  /** The sequence number that was next when the call was sent. */
  readonly startSequence: number;
  /** Digest and revision of this tool's definition in the newest complete catalog when the call was sent. */
  readonly toolDigest?: string;
  readonly schemaRevision?: number;
  /** The server would not make the call: it knows no such tool, or did not take the arguments (error -32602). */
  readonly refusal?: 'unknown_tool' | 'invalid_params';
}

/** Any other MCP request or notification; it says nothing about a catalog but takes its place in the sequence. */
export interface Operation extends ObservationBase {
  readonly kind: 'operation';
  readonly method: string;
  readonly errorType?: string;
}

/** The connection lives on, but other code may answer from here. */
export interface EpochChanged extends ObservationBase {
  readonly kind: 'epoch_changed';
  readonly cause:
    | 'session_lost'
    | 'session_changed'
    | 'handshake_repeated'
    | 'reply_repeated'
    | 'identity_changed'
    | 'reported';
}

/** The host said for whom the connection acts from here on: a user, a tenant, a scope of credentials. */
export interface PrincipalSet extends ObservationBase {
  readonly kind: 'principal';
  /** First 16 hex digits of the sha256 of the host's own label. */
  readonly principal: string;
}

/** The host passed a boundary at which it had promised to show the newest registry. */
export interface BoundaryPassed extends ObservationBase {
  readonly kind: 'boundary';
  readonly boundary: Boundary;
}

/** The transport closed, or the process ended. Nothing follows on this connection. */
export interface ConnectionClosed extends ObservationBase {
  readonly kind: 'connection_closed';
  readonly cause: 'local' | 'remote' | 'exit';
}

export type Observation =
  | ConnectionOpened
  | Handshake
  | Coverage
  | Signal
  | Traversal
  | Delivered
  | Installed
  | Call
  | Operation
  | EpochChanged
  | PrincipalSet
  | BoundaryPassed
  | ConnectionClosed;

export type ObservationKind = Observation['kind'];
