// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Starts the agent as its operator would: the application's telemetry first, then ours on top of it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const here = (file) => new URL(file, import.meta.url);
const flags = ['--import', here('telemetry.mjs').href, '--import', import.meta.resolve('mcp-convergence/register')];
const child = spawn(process.execPath, [...flags, fileURLToPath(here('../agent.mjs'))], { stdio: 'inherit' });
[process.exitCode] = await once(child, 'exit');
