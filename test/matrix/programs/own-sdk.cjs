// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** `own-sdk.mjs` for `--require`. */

const { NodeSDK } = require('@opentelemetry/sdk-node');

const sdk = new NodeSDK();
sdk.start();
process.once('beforeExit', () => sdk.shutdown());
