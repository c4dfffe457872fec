// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** A fastmcp server, which declares no `listChanged` and signals all the same: a call of `grow` adds the tool `late`. */

import { FastMCP } from 'fastmcp';

const server = new FastMCP({ name: 'fastmcp-unadvertised', version: '1.0.0' });
const addTool = (name, execute) => server.addTool({ name, description: name, execute });

addTool('grow', async () => {
  addTool('late', async () => 'ok');
  return 'ok';
});
await server.start({ transportType: 'stdio' });
