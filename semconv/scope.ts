// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Name and version of the instrumentation scope of everything we emit; a test holds the version equal to package.json. */
export const SCOPE_NAME = 'mcp-convergence';
export const SCOPE_VERSION = '0.1.0';
