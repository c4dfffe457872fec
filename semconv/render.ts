// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Renders what is derived from `registry.yaml`: the constants in `names.ts` and the tables in README.md. Called by
 * `generate.ts`, and by the tests that hold code and data to the registry.
 */

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

type Level = string | Readonly<Record<string, string>>;

interface Member {
  readonly id: string;
  readonly value: string;
  readonly brief: string;
  readonly annotations?: { readonly verdict: string; readonly next_step: string };
}

interface Attribute {
  readonly key: string;
  readonly type: string | { readonly members: readonly Member[] };
  readonly brief: string;
  /** The closed list of what a list may hold, each with its meaning: the language has no list of enum members. */
  readonly annotations?: { readonly values: Readonly<Record<string, string>> };
}

type Reference = { readonly ref: string; readonly requirement_level: Level } | { readonly ref_group: string };

interface Signal {
  readonly type?: string;
  readonly name?: string | { readonly note: string };
  readonly kind?: string;
  readonly instrument?: string;
  readonly unit?: string;
  readonly brief: string;
  readonly attributes?: readonly Reference[];
}

export interface Registry {
  readonly attributes: readonly Attribute[];
  readonly attribute_groups: readonly { readonly id: string; readonly attributes: readonly Reference[] }[];
  readonly spans: readonly Signal[];
  readonly events: readonly Signal[];
  readonly metrics: readonly Signal[];
}

const ROOT = new URL('..', import.meta.url);
const HEADER = `// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Generated from registry.yaml by \`npm run generate\`; edit there. */
`;

export function readRegistry(): Registry {
  return parse(readFileSync(new URL('semconv/registry.yaml', ROOT), 'utf8'));
}

const constant = (name: string): string => name.toUpperCase().replaceAll('.', '_');
const membersOf = (attribute: Attribute): readonly Member[] =>
  typeof attribute.type === 'string' ? [] : attribute.type.members;
const nameOf = (signal: Signal): string => (typeof signal.name === 'string' ? signal.name : (signal.name?.note ?? ''));
const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function attributeOf(registry: Registry, key: string): Attribute {
  const attribute = registry.attributes.find((each) => each.key === key);
  if (!attribute) throw new Error(`registry.yaml has no attribute ${key}`);
  return attribute;
}

const reasonsOf = (registry: Registry): readonly Member[] => membersOf(attributeOf(registry, 'mcp_convergence.reason'));
const notesOf = (registry: Registry): readonly (readonly [note: string, meaning: string])[] =>
  Object.entries(attributeOf(registry, 'mcp_convergence.notes').annotations?.values ?? {});

/** What an attribute may be, when the registry closes it. */
function valuesOf(attribute: Attribute): readonly string[] {
  if (attribute.annotations) return Object.keys(attribute.annotations.values);
  return membersOf(attribute).map(({ value }) => value);
}

export function renderNames(registry: Registry): string {
  const lines = [HEADER];
  const declare = (prefix: string, name: string, brief: string) => {
    lines.push(`/** ${brief} */`, `export const ${prefix}_${constant(name)} = ${quote(name)} as const;`, '');
  };
  for (const { key, brief } of registry.attributes) declare('ATTR', key, brief);
  for (const span of registry.spans) if (nameOf(span) === span.type) declare('SPAN', nameOf(span), span.brief);
  for (const event of registry.events) declare('EVENT', nameOf(event), event.brief);
  for (const metric of registry.metrics) declare('METRIC', nameOf(metric), metric.brief);
  for (const attribute of registry.attributes) {
    for (const { id, value, brief } of membersOf(attribute)) {
      const name = `${constant(attribute.key)}_VALUE_${constant(id)}`;
      lines.push(`/** ${brief} */`, `export const ${name} = ${quote(value)} as const;`, '');
    }
  }
  lines.push(
    '/** The words of each attribute that takes no others, or of which a list is made. */',
    'export const VALUES = {',
  );
  for (const attribute of registry.attributes) {
    const values = valuesOf(attribute);
    if (values.length > 0) lines.push(`  ${quote(attribute.key)}: [${values.map(quote).join(', ')}],`);
  }
  lines.push('} as const;', '');
  const words = (brief: string, type: string, key: string): void => {
    const union = valuesOf(attributeOf(registry, key)).map((value) => `  | ${quote(value)}`);
    lines.push(`/** ${brief} */`, `export type ${type} =`, ...union, ';', '');
  };
  words('What can be said of a view.', 'VerdictKind', 'mcp_convergence.verdict');
  words('The closed list of reasons.', 'Reason', 'mcp_convergence.reason');
  words('What narrows a verdict without changing it.', 'Note', 'mcp_convergence.notes');
  const reasons = reasonsOf(registry);
  lines.push('/** The verdict that each reason belongs to, and the safe next step. */');
  lines.push(
    'export const REASONS: Readonly<Record<Reason, { readonly verdict: VerdictKind; readonly nextStep: string }>> = {',
  );
  for (const { value, annotations } of reasons) {
    lines.push(
      `  ${value}: { verdict: ${quote(annotations?.verdict ?? '')}, nextStep: ${quote(annotations?.next_step ?? '')} },`,
    );
  }
  lines.push('};', '');
  lines.push('/** What each note says. */', 'export const NOTES: Readonly<Record<Note, string>> = {');
  for (const [note, meaning] of notesOf(registry)) lines.push(`  ${note}: ${quote(meaning)},`);
  lines.push('};', '');
  return lines.join('\n');
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

/** The keys that a signal names, those of its groups included. */
export function expand(registry: Registry, references: readonly Reference[] = []): readonly string[] {
  return references.flatMap((reference) => {
    if ('ref' in reference) return [reference.ref];
    return expand(registry, registry.attribute_groups.find(({ id }) => id === reference.ref_group)?.attributes);
  });
}

/** Every generated table by the name of its marker. */
export function renderTables(registry: Registry): Readonly<Record<string, string>> {
  const code = (text: string): string => `\`${text}\``;
  const typeOf = (attribute: Attribute): string =>
    typeof attribute.type === 'string'
      ? attribute.type
      : membersOf(attribute).length > 8
        ? 'enum'
        : membersOf(attribute)
            .map(({ value }) => code(value))
            .join(', ');
  return {
    attributes: table(
      ['attribute', 'type or values', 'meaning'],
      registry.attributes.map((each) => [code(each.key), typeOf(each), each.brief]),
    ),
    spans: table(
      ['span', 'kind', 'meaning', 'own attributes'],
      registry.spans.map((span) => [
        nameOf(span).includes('{') ? nameOf(span) : code(nameOf(span)),
        (span.kind ?? '').toUpperCase(),
        span.brief,
        expand(registry, span.attributes)
          .filter((key) => !expand(registry, [{ ref_group: 'mcp_convergence.identity' }]).includes(key))
          .map((key) => code(key.replace('mcp_convergence.', '')))
          .join(' '),
      ]),
    ),
    events: table(
      ['event', 'meaning', 'attributes'],
      registry.events.map((event) => [
        code(nameOf(event)),
        event.brief,
        expand(registry, event.attributes)
          .map((key) => code(key.replace('mcp_convergence.', '')))
          .join(' '),
      ]),
    ),
    metrics: table(
      ['metric', 'instrument', 'unit', 'meaning', 'attributes'],
      registry.metrics.map((metric) => [
        code(nameOf(metric)),
        metric.instrument ?? '',
        code(metric.unit ?? ''),
        metric.brief,
        expand(registry, metric.attributes).map(code).join(' '),
      ]),
    ),
    reasons: table(
      ['reason', 'verdict', 'meaning', 'safe next step'],
      reasonsOf(registry).map(({ value, brief, annotations }) => [
        code(value),
        annotations?.verdict ?? '',
        brief,
        annotations?.next_step ?? '',
      ]),
    ),
    notes: table(
      ['note', 'meaning'],
      notesOf(registry).map(([note, meaning]) => [code(note), meaning]),
    ),
  };
}

/** Puts each table between its markers, `<!-- generated: NAME -->` and `<!-- /generated -->`. */
export function fillTables(markdown: string, tables: Readonly<Record<string, string>>): string {
  return markdown.replace(
    /(<!-- generated: (\w+) -->\n)[\s\S]*?(<!-- \/generated -->)/g,
    (whole, open, name, close) => {
      const rendered = tables[name];
      return rendered === undefined ? whole : `${open}\n${rendered}\n\n${close}`;
    },
  );
}
