// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The part of a plan that the runner reads; all of it is described and checked in `plan.mjs`. */
export interface LivePlan {
  readonly clients: readonly ('v1' | 'v2')[];
  readonly era: 'legacy' | 'modern';
  readonly transport: 'stdio' | 'http' | 'sse';
  readonly server: {
    readonly raw?: object;
    readonly generations?: readonly object[];
    readonly replay?: 'swallowed' | 'answered';
  };
  readonly traversalTimeoutMs?: number;
}

export function readLivePlan(json: string): LivePlan;
