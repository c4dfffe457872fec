// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** What the entry point `/semconv` publishes. The names are all public, so the generated file is passed on whole. */

export { diffCatalogs } from './diff.ts';
export { canonicalize, type DigestedTool, digestCatalog, digestTool } from './digest.ts';
export type { LimitName } from './limits.ts';
export * from './names.ts';
export {
  type Boundary,
  type BoundaryPassed,
  type Call,
  type Catalog,
  type CatalogEntry,
  type ConnectionClosed,
  type ConnectionOpened,
  type Coverage,
  type Delivered,
  type Epoch,
  type EpochChanged,
  type EpochSource,
  type Handshake,
  type Installed,
  OBSERVATION_CHANNEL,
  type Observation,
  type ObservationKind,
  type Operation,
  type PrincipalSet,
  type RefreshPolicy,
  type Signal,
  type SpanRef,
  type TransportKind,
  type Traversal,
  type TraversalOutcome,
} from './observation.ts';
export { decodeObservation, encodeObservation, type SpanTiming } from './observation-attributes.ts';
export { type Json, PROJECTION_RECIPE, type Projected, type ProjectionOptions, projectTool } from './projection.ts';
export type { CatalogDifference, Verdict } from './verdict.ts';
export { decodeVerdict, encodeVerdict } from './verdict-attributes.ts';
