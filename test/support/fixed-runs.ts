// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** How properties are run: always with the same inputs, which `PROPERTY_SEED` exchanges for others. A failure prints the seed. */

const SEED = Number(process.env.PROPERTY_SEED || 20_261_130);

export function runs(numRuns: number): { readonly seed: number; readonly numRuns: number } {
  return { seed: SEED, numRuns };
}
