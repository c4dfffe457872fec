// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Preload of an application with an OpenTelemetry SDK of its own, in the words that both lines understand. */

import { NodeSDK } from '@opentelemetry/sdk-node';

const sdk = new NodeSDK();
sdk.start();
process.once('beforeExit', () => sdk.shutdown());
