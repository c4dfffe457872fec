// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** All cases that have a plan, or those of one kind: `LIVE_CASES='storms/*' npm run test:live`. */

import { playCases } from './play-cases.ts';

await playCases(process.env.LIVE_CASES || '*/*');
