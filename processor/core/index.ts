// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

export { type Counters, createEngine, type Engine, type StaleCall, type Step } from './engine.ts';
export { DEFAULT_LIMITS, type Limits } from './limits.ts';
export { type Phase, type PhaseEvent, TRANSITIONS } from './transitions.ts';
