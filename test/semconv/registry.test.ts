// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { encodeObservation, encodeVerdict, NOTES, REASONS } from '../../semconv/index.ts';
import { expand, fillTables, readRegistry, renderNames, renderTables } from '../../semconv/render.ts';
import { SCOPE_VERSION } from '../../semconv/scope.ts';
import { SAMPLE_VERDICT, SAMPLES } from '../support/sample-observations.ts';

const registry = readRegistry();
const file = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const keys = registry.attributes.map(({ key }) => key);
const signals = [...registry.spans, ...registry.events, ...registry.metrics];

/** Every attribute that a signal or a group names. */
function references(): string[] {
  const lists = [...signals, ...registry.attribute_groups].flatMap(({ attributes }) => attributes ?? []);
  return lists.flatMap((reference) => ('ref' in reference ? [reference.ref] : []));
}

describe('the registry', () => {
  it('is written in the language of weaver, with a brief, a stability and a type for each attribute', () => {
    assert.match(file('semconv/registry.yaml'), /^file_format: definition\/2$/m);
    for (const attribute of registry.attributes) {
      const { key, type, brief, stability } = attribute as typeof attribute & { stability: string };
      assert.ok(brief.length > 10, key);
      assert.equal(stability, 'development', key);
      if (typeof type === 'string') assert.match(type, /^(string|int|double|boolean|string\[\])$/, key);
      else
        for (const member of type.members)
          assert.ok(
            member.id === member.value.replaceAll(/[^a-z0-9]/g, '_') && member.brief.length > 3,
            `${key} ${member.id}`,
          );
    }
  });

  it('has no member that YAML has cut in two at a comma', () => {
    const known = new Set([
      'id',
      'value',
      'brief',
      'stability',
      'annotations',
      'ref',
      'ref_group',
      'requirement_level',
    ]);
    const members = registry.attributes.flatMap(({ type }) => (typeof type === 'string' ? [] : type.members));
    const lists = [...signals, ...registry.attribute_groups].flatMap(({ attributes }) => attributes ?? []);
    for (const entry of [...members, ...lists]) {
      for (const key of Object.keys(entry)) assert.ok(known.has(key), `${key} in ${JSON.stringify(entry)}`);
    }
  });

  it('names things once, in its own namespace, and never both as a leaf and as a namespace', () => {
    assert.equal(new Set(keys).size, keys.length);
    for (const key of keys) {
      assert.match(key, /^mcp_convergence(\.[a-z][a-z0-9]*(_[a-z0-9]+)*)+$/);
      assert.ok(!keys.some((other) => other.startsWith(`${key}.`)), key);
    }
  });

  it('names each signal, group and member once', () => {
    const nameOf = ({ type, name }: (typeof signals)[number]): unknown => type ?? name;
    const lists = [
      registry.spans.map(nameOf),
      registry.events.map(nameOf),
      registry.metrics.map(nameOf),
      registry.attribute_groups.map(({ id }) => id),
      ...registry.attributes.map(({ type }) => (typeof type === 'string' ? [] : type.members.map(({ id }) => id))),
      ...signals.map(({ attributes }) => expand(registry, attributes)),
    ];
    for (const list of lists) assert.equal(new Set(list).size, list.length, JSON.stringify(list));
  });

  it('refers only to groups that there are', () => {
    const groups = signals
      .flatMap(({ attributes }) => attributes ?? [])
      .flatMap((each) => ('ref_group' in each ? [each.ref_group] : []));
    assert.ok(groups.length > 10);
    for (const group of groups)
      assert.ok(
        registry.attribute_groups.some(({ id }) => id === group),
        group,
      );
  });

  it('has no attribute without a signal and no reference without an attribute', () => {
    assert.deepEqual(
      [...new Set(references())].filter((key) => !keys.includes(key)),
      [],
    );
    assert.deepEqual(
      keys.filter((key) => !references().includes(key)),
      [],
    );
  });

  it('gives every metric a unit and an instrument, counters a plural name', () => {
    for (const metric of registry.metrics) {
      assert.ok(metric.unit && metric.instrument);
      if (metric.instrument === 'counter') assert.match(String(metric.name), /(s|dropped)$/);
    }
  });

  it('gives every reason one verdict and a next step', () => {
    const verdicts = new Set(Object.values(REASONS).map(({ verdict }) => verdict));
    assert.equal(verdicts.size, 4);
    for (const [reason, { nextStep }] of Object.entries(REASONS)) assert.match(nextStep, /\.$/, reason);
  });

  it('says of every note what it means', () => {
    assert.ok(Object.keys(NOTES).length > 0);
    for (const [note, meaning] of Object.entries(NOTES)) assert.match(meaning, /^[A-Z].{10,}\.$/, note);
  });

  it('says the same of the span of a verdict as of its event', () => {
    const span = registry.spans.find(({ type }) => type === 'mcp_convergence.verdict');
    const event = registry.events.find(({ name }) => name === 'mcp_convergence.verdict');
    assert.ok(span && event);
    assert.deepEqual(expand(registry, span.attributes), expand(registry, event.attributes));
  });

  it('has the version of the package in its manifest', () => {
    const { version } = JSON.parse(file('package.json'));
    assert.match(file('semconv/manifest.yaml'), new RegExp(`^schema_url: https://\\S+/${version}$`, 'm'));
  });

  it('knows every attribute that an observation or a verdict is written in', () => {
    const verdict = SAMPLE_VERDICT;
    const written = [
      ...SAMPLES.flatMap((sample) => Object.keys(encodeObservation(sample))),
      ...Object.keys(encodeVerdict(verdict)),
    ];
    const own = written.filter((key) => key.startsWith('mcp_convergence.'));
    assert.deepEqual(
      [...new Set(own)].filter((key) => !keys.includes(key)),
      [],
    );
    const event = registry.events.find(({ name }) => name === 'mcp_convergence.verdict');
    const listed = expand(registry, event?.attributes);
    const verdictKeys = Object.keys(encodeVerdict(verdict)).filter((key) => key.startsWith('mcp_convergence.'));
    assert.deepEqual(
      verdictKeys.filter((key) => !listed.includes(key)),
      [],
    );
    assert.deepEqual(
      listed.filter((key) => !verdictKeys.includes(key)),
      [],
    );
  });
});

describe('what is generated from the registry', () => {
  it('is what stands in names.ts', () => {
    assert.equal(file('semconv/names.ts'), renderNames(registry));
  });

  it('is what stands in the tables of the README', () => {
    const readme = file('README.md');
    const tables = renderTables(registry);
    for (const name of Object.keys(tables)) assert.ok(readme.includes(`<!-- generated: ${name} -->`), name);
    assert.equal(readme, fillTables(readme, tables));
  });
});

describe('the instrumentation scope', () => {
  it('has the version of the package', () => {
    assert.equal(SCOPE_VERSION, JSON.parse(file('package.json')).version);
  });
});
