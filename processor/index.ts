// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

export type { Limits } from './core/index.ts';
export type { EngineRunnerConfig } from './engine-runner.ts';
export { ConvergenceSpanProcessor, type ConvergenceSpanProcessorConfig, type FinishedSpan } from './span-processor.ts';
export type { EventLogger, EventLoggerProvider, EventRecord, Providers } from './telemetry.ts';
