// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** A Collector that takes OTLP over HTTP and writes it into a file, as its file exporter does. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProgram } from '../support/run-program.ts';
import { makeScratch } from '../support/scratch.ts';

export interface Collector {
  /** Base URL of its OTLP receiver. */
  readonly url: string;
  /** Ends it as an operator would, and gives the file, which is complete from then on. */
  finish(): Promise<string>;
  stop(): Promise<unknown>;
}

/** Settings of the batch processor, in the words of the Collector. */
export interface Batch {
  readonly timeout: string;
  readonly send_batch_size: number;
  readonly send_batch_max_size?: number;
}

/** @param batch how spans are gathered; without it everything is written as it comes, logs and metrics into the same file */
export async function startCollector(program: string, batch?: Batch): Promise<Collector> {
  const folder = makeScratch();
  const file = join(folder, 'telemetry.jsonl');
  const config = join(folder, 'config.yaml');
  const pipeline = { receivers: ['otlp'], exporters: ['file'] };
  // A file exporter that several pipelines share is shut down with the first of them, and panics over a batch that comes later
  // (opentelemetry-collector-contrib#46871). So what is batched has an exporter of its own.
  const others = batch ? { ...pipeline, exporters: ['file/others'] } : pipeline;
  // JSON is YAML.
  const text = JSON.stringify({
    receivers: { otlp: { protocols: { http: { endpoint: '127.0.0.1:0' } } } },
    ...(batch && { processors: { batch } }),
    exporters: { file: { path: file }, ...(batch && { 'file/others': { path: join(folder, 'others.jsonl') } }) },
    service: {
      telemetry: { metrics: { level: 'none' }, logs: { encoding: 'json' } },
      pipelines: { traces: { ...pipeline, ...(batch && { processors: ['batch'] }) }, logs: others, metrics: others },
    },
  });
  writeFileSync(config, text);
  // It names the port that it was given; by then the pipelines behind the receiver are up.
  const { line, stop } = await startProgram(['--config', `file:${config}`], /"Starting HTTP server"/, {
    executable: program,
  });
  return {
    url: `http://${JSON.parse(line).endpoint}`,
    finish: async () => {
      assert.equal(await stop('SIGTERM'), 0, 'the Collector ends well');
      return file;
    },
    stop: () => stop(),
  };
}
