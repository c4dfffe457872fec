// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * `McpInstrumentation`: finds the MCP SDKs as they load, patches them, and undoes it again. Has the shape of an
 * OpenTelemetry instrumentation, so `registerInstrumentations` takes it, without depending on a package of either SDK line.
 */

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import { SCOPE_NAME, SCOPE_VERSION } from '../semconv/scope.ts';
import { type McpInstrumentationConfig, type ResolvedConfig, resolveConfig } from './config.ts';
import { isTarget, watchLoads } from './load-hooks.ts';
import { Observer } from './observer.ts';
import { patchSdk, type SdkExports } from './sdk-patches.ts';
import { sharedState } from './shared-state.ts';
import { watchSpawns } from './spawn-watch.ts';

export class McpInstrumentation {
  readonly instrumentationName: string = SCOPE_NAME;
  readonly instrumentationVersion: string = SCOPE_VERSION;
  readonly #given: McpInstrumentationConfig;
  readonly #config: ResolvedConfig;
  readonly #observer: Observer;
  #undo: (() => void)[] = [];
  #enabled = false;

  /** @throws TypeError when an option has no meaning. */
  constructor(config: McpInstrumentationConfig = {}) {
    this.#given = config;
    this.#config = resolveConfig(config);
    this.#observer = new Observer(this.#config);
    if (this.#config.enabled) this.enable();
  }

  /** Patches what is loaded and what will be. Twice is the same as once. */
  enable(): void {
    if (this.#enabled) return;
    this.#enabled = true;
    sharedState().observer = this.#observer;
    this.#observer.guard(() => {
      this.#undo.push(
        watchLoads({
          loaded: (exports) => this.#patch(exports),
          missed: () => this.#reportLoadedBefore(),
        }),
      );
      this.#patchRequired();
      this.#undo.push(watchSpawns(() => this.#expectConnection()));
    }, undefined);
  }

  /** Takes every patch out again; connections that are listened in on stay so until they close. */
  disable(): void {
    if (!this.#enabled) return;
    this.#enabled = false;
    if (sharedState().observer === this.#observer) sharedState().observer = undefined;
    for (const undo of this.#undo.reverse()) this.#observer.guard(undo, undefined);
    this.#undo = [];
  }

  setTracerProvider(provider: TracerProvider): void {
    this.#observer.telemetry.setTracerProvider(provider);
  }

  setMeterProvider(provider: MeterProvider): void {
    this.#observer.telemetry.setMeterProvider(provider);
  }

  /** Config is read once at construction; this exists because the OpenTelemetry interface asks for it. */
  setConfig(_config: McpInstrumentationConfig): void {}

  getConfig(): McpInstrumentationConfig {
    return this.#given;
  }

  /** The process ends: ends every open span and walk, and says of every connection that it is closed. Synchronous. */
  closeConnections(): void {
    for (const wire of this.#observer.live()) this.#observer.guard(() => wire.close('exit'), undefined);
  }

  #patch(exports: SdkExports): void {
    this.#observer.guard(() => this.#undo.push(patchSdk(this.#observer, exports)), 0);
  }

  /** CommonJS modules loaded before us can still be reached; what is connected already cannot. */
  #patchRequired(): void {
    const { cache } = createRequire(import.meta.url);
    for (const [file, module] of Object.entries(cache)) {
      if (!isTarget(pathToFileURL(file).href) || !module?.loaded) continue;
      this.#patch(module.exports as SdkExports);
      this.#reportLoadedBefore();
    }
  }

  #reportLoadedBefore(): void {
    this.#observer.report(
      'loaded_before',
      'an MCP SDK was loaded before this instrumentation; connections made by then are not seen. Load it first, with NODE_OPTIONS="--import mcp-convergence/register"',
    );
  }

  /** An SDK transport writes its first message while its `send`, and so our tap, is on the stack. */
  #expectConnection(): void {
    if (sharedState().sending > 0) return;
    this.#observer.report(
      'process_without_connection',
      'this process talks MCP to a child process over a client that is not seen (bundled, or no official SDK). Call instrumentTransport(transport) from mcp-convergence/instrumentation before it connects',
    );
  }
}
