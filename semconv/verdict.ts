// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The verdict: what the engine says of one view. Types only; the words' meanings are in `registry.yaml`. */

import type { Note, Reason, VerdictKind } from './names.ts';
import type { Epoch, RefreshPolicy, SpanRef } from './observation.ts';

export type { Note, Reason, VerdictKind } from './names.ts';

/** Names by which two catalogs differ, from the installed to the discovered one; each list sorted and bounded. */
export interface CatalogDifference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export interface Verdict {
  readonly verdict: VerdictKind;
  readonly reason: Reason;
  readonly layer: 'discovered' | 'installed' | 'used';
  readonly connectionId: string;
  /** Unix time in milliseconds at which the evidence made this verdict true; for a deadline, the deadline. */
  readonly timeMs: number;
  /** Sequence number of the newest observation that was taken into account. */
  readonly sequence: number;
  readonly epoch: Epoch;
  /** How the installed registry is known: `reported` by the host, or `none`. */
  readonly evidence: 'reported' | 'none';
  readonly recipe?: string;
  readonly discoveredDigest?: string;
  readonly discoveredRevision?: number;
  readonly installedDigest?: string;
  /** The discovered revision whose digest equals the installed one, when there is one. */
  readonly installedRevision?: number;
  readonly difference: CatalogDifference;
  readonly notes: readonly Note[];
  readonly policy?: RefreshPolicy;
  /** Seconds from the newest signal to this verdict; absent when no signal was received in this epoch. */
  readonly signalLagS?: number;
  /** The bound that was hit, with `limit_reached` and `evicted`. */
  readonly limit?: string;
  readonly previous?: VerdictKind;
  readonly serverName?: string;
  readonly protocolVersion?: string;
  /** Spans whose observations decided: newest traversal, newest signal, installed report. Bounded by construction. */
  readonly judged: readonly SpanRef[];
}
