// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The six of the article, live; all other plans are a suite of their own. */

import { playCases } from './play-cases.ts';

await playCases('german-article/*');
