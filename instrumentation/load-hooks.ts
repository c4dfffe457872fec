// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Gets at the exports of the MCP SDKs as they load, ESM and CommonJS alike: a synchronous loader hook appends one statement
 * to the few files that define the client classes, which hands them over. Appending keeps lines and source maps intact,
 * needs no resolvable package root (SDK v1 ships none) and works for linked packages outside `node_modules`.
 *
 * `module.registerHooks` exists in every Node that this package supports, so there is no second, off-thread way.
 */

import { readFileSync } from 'node:fs';
// As a namespace: NODE_OPTIONS is inherited by Node processes of older versions too, and a name missing there would end them
// as they link, where a call that fails is caught and reported.
import * as nodeModule from 'node:module';
import type { SdkExports } from './sdk-patches.ts';

export interface LoadListener {
  loaded(exports: SdkExports): void;
  /** A module of the SDK was imported that had been loaded before these hooks were in place. */
  missed(url: string): void;
}

/** Shared by all copies of this package in the process; the appended statement finds it by the registered symbol. */
interface LoadRegistry {
  readonly modules: SdkExports[];
  readonly listeners: Set<LoadListener>;
  readonly take: (exports: SdkExports) => void;
}

const REGISTRY = Symbol.for('mcp-convergence.loads.1');
const REGISTRY_CODE = `globalThis[Symbol.for("${REGISTRY.description}")]`;

/** Classes looked for. `typeof` makes a name that a module does not have harmless. */
const CLASSES = [
  'Client',
  'StdioClientTransport',
  'SSEClientTransport',
  'StreamableHTTPClientTransport',
  'WebSocketClientTransport',
];

const TARGETS: readonly { readonly name: string; readonly file: RegExp }[] = [
  {
    name: '@modelcontextprotocol/sdk',
    file: /\/dist\/(?:esm|cjs)\/client\/(?:index|stdio|sse|streamableHttp|websocket)\.js$/,
  },
  { name: '@modelcontextprotocol/client', file: /\/dist\/(?:index|stdio)\.[mc]js$/ },
];

/** Whether `url` is one of the files that define a client class, by path or, outside `node_modules`, by package name. */
export function isTarget(url: string): boolean {
  if (!url.startsWith('file:')) return false;
  const path = url.replace(/[?#].*$/, '');
  return TARGETS.some(({ name, file }) => {
    if (!file.test(path)) return false;
    return path.includes('/node_modules/')
      ? path.replace(file, '').endsWith(`/node_modules/${name}`)
      : packageName(path) === name;
  });
}

function packageName(url: string): unknown {
  try {
    const manifest = nodeModule.findPackageJSON(url);
    return manifest && JSON.parse(readFileSync(manifest, 'utf8')).name;
  } catch {
    return undefined;
  }
}

function handOver(format: string | null | undefined): string | undefined {
  if (format === 'commonjs') return `\n;${REGISTRY_CODE}?.take(module.exports);\n`;
  if (format !== 'module') return undefined;
  const members = CLASSES.map((name) => `${name}:typeof ${name}==="undefined"?void 0:${name}`);
  return `\n;${REGISTRY_CODE}?.take({${members.join(',')}});\n`;
}

function createRegistry(): LoadRegistry {
  const modules: SdkExports[] = [];
  const listeners = new Set<LoadListener>();
  const seen = new Set<string>();
  nodeModule.registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      if (!seen.has(resolved.url) && isTarget(resolved.url)) {
        // A module that is in the cache already is resolved but not loaded again.
        setImmediate(() => {
          if (seen.has(resolved.url)) return;
          seen.add(resolved.url);
          for (const listener of listeners) listener.missed(resolved.url);
        }).unref();
      }
      return resolved;
    },
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!isTarget(url)) return loaded;
      seen.add(url);
      const tail = handOver(loaded.format);
      if (tail === undefined || loaded.source === undefined || loaded.source === null) return loaded;
      const source = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
      return { ...loaded, source: source + tail };
    },
  });
  const take = (exports: SdkExports) => {
    modules.push(exports);
    for (const listener of listeners) listener.loaded(exports);
  };
  return { modules, listeners, take };
}

/** Calls `listener` for every SDK module loaded so far and from now on; installs the hooks once per process. */
export function watchLoads(listener: LoadListener): () => void {
  const holder = globalThis as { [REGISTRY]?: LoadRegistry };
  if (!holder[REGISTRY]) Object.defineProperty(globalThis, REGISTRY, { value: createRegistry() });
  const registry = holder[REGISTRY] as LoadRegistry;
  registry.listeners.add(listener);
  for (const exports of registry.modules) listener.loaded(exports);
  return () => {
    registry.listeners.delete(listener);
  };
}
