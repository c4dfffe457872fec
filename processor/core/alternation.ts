// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Whether several builds answer one connection: without any signal, walk after walk brings back a catalog that had been
 * replaced. Pure. One return may be a release taken back; a catalog that then stays ends the suspicion.
 */

import type { Limits } from './limits.ts';

/** Walks looked at; with replicas in turn two returns show within four. */
const WINDOW = 8;

/** `digests` with one more walk, and no more than are looked at. */
export function withWalk(digests: readonly string[], digest: string): readonly string[] {
  return [...digests, digest].slice(-WINDOW);
}

export function alternates(digests: readonly string[], { alternations, equalWalks }: Limits): boolean {
  const newest = digests.slice(-equalWalks);
  if (newest.length === equalWalks && newest.every((digest) => digest === newest[0])) return false;
  const returns = digests.filter(
    (digest, i) => i > 0 && digest !== digests[i - 1] && digests.slice(0, i).includes(digest),
  );
  return returns.length >= alternations;
}
