// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Every bound of the engine: its default, the reason for the number, and what is said when it is hit. Pure. */

export interface Limits {
  /**
   * Milliseconds that a host has to answer a signal or to install a new catalog before that counts against it. SDKs debounce
   * a refresh by 300 ms and a slow server may take seconds to list. @default 5000
   */
  readonly graceMs: number;
  /** Live connections. Past it the one heard of least recently is dropped: `evicted`. @default 10000 */
  readonly connections: number;
  /** Closed connections whose reports a successor of the same client may inherit; past it the oldest is forgotten. @default 1000 */
  readonly retired: number;
  /** Milliseconds without an observation after which a connection is dropped: `evicted`. @default 86400000 */
  readonly idleMs: number;
  /** Observations of one connection held back while an earlier one is missing; past it that one is a gap. @default 256 */
  readonly reorderCount: number;
  /** Milliseconds for the same. Exporters send batches every 5 s, and two of them may arrive in the wrong order. @default 10000 */
  readonly reorderMs: number;
  /**
   * Characters of names and digests kept of all connections together; about twice as many bytes. Past it the connections heard
   * of least recently are dropped: `evicted`. Catalogs that connections share count once. @default 268435456
   */
  readonly catalogCharacters: number;
  /** Complete catalogs remembered per connection, to tell an earlier one from an unknown one. @default 16 */
  readonly history: number;
  /** Signals that may be unanswered at once before they are a storm. McpServer sends one per registration. @default 100 */
  readonly stormSignals: number;
  /** Milliseconds in which every walk is overtaken by a signal before that is a storm, however slow the signals. @default 30000 */
  readonly unquietMs: number;
  /** Consecutive walks with equal digests after which signals in between are taken for noise. @default 3 */
  readonly equalWalks: number;
  /** Times that an earlier catalog comes back without a signal, within eight walks, before several builds are taken to answer. @default 2 */
  readonly alternations: number;
  /** Calls in a row that the server refuses for their arguments before that is worth a note. @default 3 */
  readonly refusals: number;
}

export const DEFAULT_LIMITS: Limits = {
  graceMs: 5000,
  connections: 10_000,
  retired: 1000,
  idleMs: 86_400_000,
  reorderCount: 256,
  reorderMs: 10_000,
  catalogCharacters: 268_435_456,
  history: 16,
  stormSignals: 100,
  unquietMs: 30_000,
  equalWalks: 3,
  alternations: 2,
  refusals: 3,
};

/** @throws TypeError when a limit is not a number of at least 1 (grace may be 0). */
export function resolveLimits(limits: Partial<Limits> = {}): Limits {
  const resolved = { ...DEFAULT_LIMITS, ...limits };
  for (const [name, value] of Object.entries(resolved)) {
    const least = name === 'graceMs' ? 0 : 1;
    if (!(typeof value === 'number' && value >= least))
      throw new TypeError(`limit ${name} must be a number of at least ${least}`);
  }
  return resolved;
}
