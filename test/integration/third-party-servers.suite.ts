// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Servers that others wrote, met by ordinary clients of both SDK majors. Every server is started here; nothing leaves the
 * machine. What is asserted of a server was first seen with plain clients: it is the server's behaviour, not ours.
 */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { installPinned, projectBeside } from '../support/cached-install.ts';
import { type ObservedRun, runObserved } from '../support/observed-run.ts';
import { startProgram } from '../support/run-program.ts';
import { makeScratch } from '../support/scratch.ts';

const SERVERS = join(import.meta.dirname, 'servers');
const CLIENTS = [
  { client: 'SDK 1.x', agent: 'agent-v1.mjs', target: {} },
  { client: 'SDK 2.x, legacy era', agent: 'agent-v2.mjs', target: {} },
  { client: 'SDK 2.x, era negotiated', agent: 'agent-v2.mjs', target: { modern: true } },
];

let packages = '';
/** Folder with the server programs of ours that need those packages. */
let project = '';

before(async () => {
  const installed = await installPinned(SERVERS);
  packages = join(installed, 'node_modules');
  const programs = ['tmcp-paging.mjs', 'fastmcp-unadvertised.mjs'].map((file) => join(SERVERS, file));
  project = await projectBeside(installed, programs);
});

type Step = string | Readonly<Record<string, unknown>>;

/** Runs one of the two agents; every run must end well and have seen what it was told to wait for. */
async function meet(agent: string, target: object, steps: readonly Step[]): Promise<ObservedRun & { seen: Seen }> {
  const program = join(import.meta.dirname, agent);
  const run = await runObserved([program, JSON.stringify(target), JSON.stringify([...steps, 'close'])]);
  assert.equal(run.code, 0, run.stderr);
  return { ...run, seen: JSON.parse(run.stdout) };
}

interface Seen {
  readonly server: string;
  readonly version?: string;
  readonly listed: readonly number[];
  readonly signals: number;
}

const reference = (name: string, ...args: readonly string[]) => ({
  command: process.execPath,
  args: [join(packages, '@modelcontextprotocol', name, 'dist/index.js'), ...args],
});

/** Long enough for anything a server does of its own accord after the handshake. */
const SETTLE = { wait: 700 };
/** Longer than the grace period of the run. */
const OUTLAST_GRACE = { wait: 1000 };

for (const { client, agent, target } of CLIENTS) {
  describe(client, () => {
    it('converges with server-everything on stdio, whose early signal arrives', async () => {
      const run = await meet(agent, { ...target, ...reference('server-everything', 'stdio') }, [
        SETTLE,
        'list',
        'install',
      ]);
      assert.deepEqual(run.seen.listed, [13]);
      assert.equal(run.of('signal').length, 1);
      assert.equal(run.judged.at(-1), 'converged/registry_equal');
    });

    it('converges with the filesystem and memory servers, which advertise signals and never send one', async () => {
      for (const [server, size] of [
        [reference('server-filesystem', tmpdir()), 14],
        [reference('server-memory'), 9],
      ] as const) {
        const run = await meet(agent, { ...target, ...server }, ['list', 'install', OUTLAST_GRACE]);
        assert.deepEqual(run.seen.listed, [size]);
        assert.equal(run.of('signal').length, 0);
        assert.equal(run.judged.at(-1), 'converged/registry_equal');
      }
    });

    it('follows all three pages of tmcp, and again after its signal', async () => {
      const server = { command: process.execPath, args: [join(project, 'tmcp-paging.mjs')] };
      const steps = ['list', 'install', { call: 't1' }, 'signal', 'list', 'install'];
      const run = await meet(agent, { ...target, ...server }, steps);
      assert.deepEqual(run.seen.listed, [5, 6]);
      const walks = run.of('traversal');
      assert.deepEqual(
        walks.map((walk) => [
          walk['mcp_convergence.traversal.outcome'],
          walk['mcp_convergence.traversal.pages'],
          walk['mcp_convergence.catalog.size'],
          walk['mcp_convergence.catalog.revision'],
        ]),
        [
          ['complete', 3, 5, 1],
          ['complete', 3, 6, 2],
        ],
      );
      assert.equal(run.judged.at(-1), 'converged/registry_equal');
    });

    it('sees the signal that fastmcp sends without advertising, and takes it for no proof of freshness', async () => {
      const server = { command: process.execPath, args: [join(project, 'fastmcp-unadvertised.mjs')] };
      // fastmcp counts as running, and so signals, only some time after the handshake.
      const steps = ['list', 'install', SETTLE, { call: 'grow' }, SETTLE, 'list', 'install', OUTLAST_GRACE];
      const run = await meet(agent, { ...target, ...server }, steps);
      assert.deepEqual(run.seen.listed, [1, 2]);
      assert.deepEqual(
        run.of('signal').map((signal) => signal['mcp_convergence.signal.advertised']),
        [false],
      );
      assert.equal(run.judged.at(-1), 'unverifiable/signal_not_advertised');
    });

    describe('kubernetes-mcp-server, when its kubeconfig gains a context', () => {
      const binary = `kubernetes-mcp-server-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
      const skip = binary.endsWith('-linux-amd64') ? false : 'no binary of this version for this machine';

      async function edited(...after: readonly Step[]) {
        const kubeconfig = join(makeScratch(), 'config');
        await writeFile(kubeconfig, describeCluster('one'));
        const server = { command: join(packages, binary, 'bin', binary), args: ['--kubeconfig', kubeconfig] };
        const edit = { write: kubeconfig, text: describeCluster('one', 'two') };
        return meet(agent, { ...target, ...server }, ['list', 'install', edit, 'signal', ...after]);
      }

      it('converges once its 21 tools are listed and installed', { skip }, async () => {
        const run = await edited('list', 'install');
        assert.deepEqual(run.seen.listed, [20, 21]);
        if (target.modern) assert.equal(run.seen.version, '2026-07-28');
        assert.equal(run.judged.at(-1), 'converged/registry_equal');
      });

      it('is stale while only the signal has arrived', { skip }, async () => {
        const run = await edited(OUTLAST_GRACE);
        assert.deepEqual(run.judged.slice(-2), ['converged/registry_equal', 'stale/signal_unanswered']);
      });

      it('is stale while the 21 tools are listed but not installed', { skip }, async () => {
        const run = await edited('list', OUTLAST_GRACE);
        assert.equal(run.judged.at(-1), 'stale/tool_set_changed');
        assert.equal(run.verdicts.at(-1)?.['mcp_convergence.discovered.revision'], 2);
      });
    });
  });
}

describe('server-everything over HTTP', () => {
  for (const { client, agent, target } of CLIENTS) {
    it(`signals ${client} over SSE, where the stream is open from the start`, async () => {
      const run = await meetEverything(agent, 'sse', (port) => ({
        ...target,
        url: `http://127.0.0.1:${port}/sse`,
        sse: true,
      }));
      assert.equal(run.of('signal').length, 1);
      assert.equal(run.judged.at(-1), 'converged/registry_equal');
    });

    it(`loses its early signal to ${client} over Streamable HTTP, and coverage says that it could not have arrived`, async () => {
      const run = await meetEverything(agent, 'streamableHttp', (port) => ({
        ...target,
        url: `http://127.0.0.1:${port}/mcp`,
      }));
      assert.equal(run.of('signal').length, 0);
      const [handshake] = run.of('handshake');
      const [opened] = run.of('coverage');
      assert.equal(opened?.['mcp_convergence.coverage.channel'], 'get_stream');
      assert.ok(Number(opened?.['mcp_convergence.sequence']) > Number(handshake?.['mcp_convergence.sequence']));
      // Listed only after the stream was open, so what was lost before it does not matter any more.
      assert.equal(run.judged.at(-1), 'converged/registry_equal');
    });
  }
});

async function meetEverything(agent: string, mode: string, target: (port: number) => object) {
  const port = await findFreePort();
  const script = join(packages, '@modelcontextprotocol/server-everything/dist/index.js');
  const server = await startProgram([script, mode], /listening on port|running on port/, {
    env: { PORT: String(port) },
  });
  try {
    return await meet(agent, target(port), [SETTLE, 'list', 'install']);
  } finally {
    await server.stop();
  }
}

async function findFreePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  assert.ok(address !== null && typeof address === 'object');
  return address.port;
}

/** A kubeconfig of a cluster that is not there; the server lists its tools all the same, one more when contexts are many. */
function describeCluster(...contexts: readonly string[]): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'nowhere', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'nobody', user: { token: 'none' } }],
    contexts: contexts.map((name) => ({ name, context: { cluster: 'nowhere', user: 'nobody' } })),
    'current-context': contexts[0],
  });
}
