// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

import { CatalogMemo } from '../../semconv/catalog-memo.ts';
import { digestCatalog, sha256 } from '../../semconv/digest.ts';
import { measure, printTable, QUICK, type Row, rowOf } from './report.ts';
import { sampleTools } from './sample-tools.ts';

const rows: Row[] = [];
for (const size of QUICK ? [10, 100] : [10, 100, 1000, 10_000]) {
  // As an SDK hands them over, and no longer as they were built.
  const tools: unknown[] = JSON.parse(JSON.stringify(sampleTools(size)));
  const memo = new CatalogMemo();
  const ratios = await measure({ name: 'floor', run: () => sha256(JSON.stringify(tools)) }, [
    { name: 'digest', run: () => digestCatalog(tools) },
    { name: 'memo, seen before', run: () => memo.digest(tools) },
    { name: 'memo, seen never', run: () => new CatalogMemo().digest(tools) },
  ]);
  for (const ratio of ratios.slice(1)) rows.push([`${size} tools: ${ratio.name}`, ...rowOf(ratio).slice(1)]);
}
printTable(
  'digest: one list of tools to its catalog',
  'JSON.stringify of the list, and sha256 of that',
  ['', 'x floor', 'middle half'],
  rows,
);
