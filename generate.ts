// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * `npm run generate`: writes what is derived from other files, the names and tables of `semconv/registry.yaml`, the JSON Schema
 * of a recording, and the diagram of the transition table. With `--check` it writes nothing and fails when anything differs.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { fillTables, readRegistry, renderNames, renderTables } from './semconv/render.ts';

const registry = readRegistry();
const readme = new URL('README.md', import.meta.url);

/** In this order: what comes later is rendered by code that reads the names. */
const OUTPUTS: readonly { readonly file: URL; readonly render: () => string | Promise<string> }[] = [
  { file: new URL('semconv/names.ts', import.meta.url), render: () => renderNames(registry) },
  {
    file: new URL('semconv/recording.schema.json', import.meta.url),
    render: async () => {
      const { recordingSchema } = await import('./semconv/recording-schema.ts');
      return `${JSON.stringify(recordingSchema(), undefined, 2)}\n`;
    },
  },
  {
    file: readme,
    render: async () => {
      const { renderTransitions } = await import('./processor/core/render-transitions.ts');
      return fillTables(readFileSync(readme, 'utf8'), { ...renderTables(registry), ...renderTransitions() });
    },
  },
];

const check = process.argv.includes('--check');
for (const { file, render } of OUTPUTS) {
  const rendered = await render();
  if (!check) writeFileSync(file, rendered);
  else if (readFileSync(file, 'utf8') !== rendered) {
    console.error(`${file.pathname.split('/').slice(-2).join('/')} is out of date: run npm run generate`);
    process.exitCode = 1;
  }
}
