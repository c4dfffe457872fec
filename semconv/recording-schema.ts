// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The JSON Schema of a recording, made from the table that observations are checked against. Pure; called by `generate.ts`. */

import { MAX_ENTRIES, MAX_NUMBER, MAX_TEXT } from './limits.ts';
import { type Check, IDENTITY_SHAPE, KIND_SHAPES, type Shape } from './observation-shapes.ts';

/** JSON Schema (2020-12) of one line of a recording. */
export function recordingSchema(): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'One line of a recording of mcp-convergence: an observation',
    description:
      'A recording is JSON Lines, in order of arrival. Times are Unix milliseconds. Meanings: semconv/observation.ts.',
    oneOf: Object.entries(KIND_SHAPES).map(([kind, shape]) => schemaOf({ ...IDENTITY_SHAPE, ...shape }, kind)),
  };
}

function schemaOf(shape: Shape, kind?: string): object {
  const members = Object.entries(shape);
  const properties: Record<string, object> = Object.fromEntries(
    members.map(([key, member]) => [key, memberSchema(member)]),
  );
  if ('sequence' in shape) properties.sequence = { type: 'integer', minimum: 1 };
  const required = members.filter(([, member]) => !member.optional).map(([key]) => key);
  return kind === undefined
    ? { type: 'object', required, properties }
    : {
        title: kind,
        type: 'object',
        required: ['kind', ...required],
        properties: { kind: { const: kind }, ...properties },
      };
}

function memberSchema(check: Check): object {
  switch (check.type) {
    case 'text':
      return { type: 'string', maxLength: MAX_TEXT };
    case 'count':
      return { type: 'integer', minimum: 0 };
    case 'words':
      return { enum: check.words };
    case 'list':
      return { type: 'array', maxItems: MAX_ENTRIES, items: memberSchema(check.of) };
    case 'shape':
      return schemaOf(check.shape);
    case 'number':
      return { type: 'number', minimum: -MAX_NUMBER, maximum: MAX_NUMBER };
    case 'boolean':
      return { type: 'boolean' };
  }
}
