// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

export type { Boundary, RefreshPolicy } from '../semconv/observation.ts';
export type { McpInstrumentationConfig, Propagation } from './config.ts';
export { instrumentTransport } from './instrument-transport.ts';
export { McpInstrumentation } from './instrumentation.ts';
export { type InstalledRegistryReport, reportBoundary, reportInstalledRegistry, reportPrincipal } from './report.ts';
