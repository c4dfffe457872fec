// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Lists of tools as public servers have them: 5 to 30 properties each, described in prose, now and then nested. The same for one seed. */

const WORDS =
  'the of a file path issue ticket query search list user project returns value name whether limit page cursor branch created updated filter text number optional'.split(
    ' ',
  );

export interface SampleTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object' } & Record<string, unknown>;
}

export function sampleTools(count: number, seed = 1): SampleTool[] {
  let state = seed;
  const below = (bound: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  const prose = (words: number): string => Array.from({ length: words }, () => WORDS[below(WORDS.length)]).join(' ');

  const property = (): object => {
    const description = prose(4 + below(12));
    const kinds: object[] = [
      { type: 'string', description },
      { type: 'integer', minimum: 0, maximum: 100, default: 10, description },
      { type: 'array', items: { type: 'string' }, description },
      { type: ['string', 'null'], enum: ['open', 'closed', null], description },
      {
        type: 'object',
        properties: { id: { type: 'string' }, kind: { type: 'string', enum: ['user', 'group'] } },
        required: ['id'],
        description,
      },
    ];
    return kinds[below(kinds.length)] as object;
  };

  return Array.from({ length: count }, (_, index) => {
    const names = Array.from({ length: 5 + below(26) }, (_, at) => `${WORDS[at % WORDS.length]}_${at}`);
    return {
      name: `${WORDS[index % WORDS.length]}_${index}`,
      title: prose(3),
      description: prose(30),
      inputSchema: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: Object.fromEntries(names.map((name) => [name, property()])),
        required: names.slice(0, 3),
        additionalProperties: false,
      },
      annotations: { readOnlyHint: below(2) === 0, openWorldHint: false },
    };
  });
}
