// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

export { diffCatalogs } from './diff.ts';
export { canonicalize, type DigestedTool, digestCatalog, digestTool } from './digest.ts';
export type { LimitName } from './limits.ts';
export * from './names.ts';
export type * from './observation.ts';
export { OBSERVATION_CHANNEL } from './observation.ts';
export { decodeObservation, encodeObservation, type SpanTiming } from './observation-attributes.ts';
export { type Json, PROJECTION_RECIPE, type Projected, type ProjectionOptions, projectTool } from './projection.ts';
export type { CatalogDifference, Note, Verdict } from './verdict.ts';
export { decodeVerdict, encodeVerdict } from './verdict-attributes.ts';
