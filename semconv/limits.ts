// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Bounds of digesting. Each has a name that a {@link Catalog} carries as `limit` when it was hit. */

/** Nesting of a definition; real schemas stay below 20, and a recursion of this depth is safe on any stack. */
export const MAX_DEPTH = 128;
/** Canonical bytes of one definition, and characters walked in it; the largest seen in public servers are a few hundred kilobytes. */
export const MAX_DEFINITION_BYTES = 1_048_576;
/** Values walked in one definition, so that hostile breadth ends as surely as hostile depth. */
export const MAX_NODES = 200_000;
/** Definitions of one catalog that are digested at all; the largest seen in public have some hundreds. */
export const MAX_TOOLS = 10_000;
/** Tools whose names and digests are kept apart; beyond it only the digest of the whole remains. */
export const MAX_ENTRIES = 1000;
/** Characters of one text of an observation, a tool's name included; MCP advises 128 for names. */
export const MAX_TEXT = 4096;
/** The last time that a Date can hold, in milliseconds; no number of an observation is larger. */
export const MAX_NUMBER = 8_640_000_000_000_000;
/** Names listed in a difference or among duplicates; the count is not affected. */
export const MAX_NAMES_LISTED = 20;

/** What hit a bound. `not_json`, `not_a_tool` and `not_a_list` are inputs of which there is no catalog at any size. */
export type LimitName =
  | 'depth'
  | 'definition_bytes'
  | 'nodes'
  | 'name'
  | 'tools'
  | 'not_json'
  | 'not_a_tool'
  | 'not_a_list';
