// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Reads a recording line by line, whatever its size, and says in which line something is wrong. */

import { createReadStream } from 'node:fs';
import type { Observation } from '../../semconv/observation.ts';
import { parseLine } from './parse-line.ts';

/** A file that cannot be used; the message names file, line and what was wrong. */
export class RecordingError extends Error {}

/** One pretty-printed document is read whole, so it has to fit into memory; a Collector writes one request a line. */
const MAX_DOCUMENT_CHARACTERS = 256 * 1024 * 1024;

/** Observations in the order of the file. @throws RecordingError at the first line that cannot be used */
export async function* readRecording(file: string): AsyncGenerator<Observation> {
  let line = 0;
  let found = 0;
  /** Lines of a document that spans several. */
  let document: string[] | undefined;
  let characters = 0;
  try {
    for await (const raw of readLines(file)) {
      line += 1;
      const text = line === 1 ? raw.replace(/^\uFEFF/, '') : raw;
      if (line === 1 && text.trim() === '{') document = [];
      if (document) {
        characters += text.length;
        if (characters > MAX_DOCUMENT_CHARACTERS)
          throw new RecordingError(
            `${file}:1: one document of more than ${MAX_DOCUMENT_CHARACTERS} characters; write one request a line`,
          );
        document.push(text);
      } else if (text.trim() !== '') {
        for (const observation of parse(text, file, line)) {
          found += 1;
          yield observation;
        }
      }
    }
  } catch (error) {
    throw error instanceof RecordingError ? error : new RecordingError(`${file}: ${(error as Error).message}`);
  }
  for (const observation of document ? parse(document.join('\n'), file, 1) : []) {
    found += 1;
    yield observation;
  }
  if (found === 0) throw new RecordingError(`${file}:${Math.max(line, 1)}: the file ends without an observation`);
}

/** Lines end at line feeds alone: node:readline ends them at U+2028 and U+2029 too, which JSON has inside its strings. */
async function* readLines(file: string): AsyncGenerator<string> {
  let pieces: string[] = [];
  for await (const chunk of createReadStream(file, 'utf8') as AsyncIterable<string>) {
    const [first = '', ...others] = chunk.split('\n');
    pieces.push(first);
    for (const other of others) {
      yield pieces.join('');
      pieces = [other];
    }
  }
  const last = pieces.join('');
  if (last !== '') yield last;
}

function parse(text: string, file: string, line: number): readonly Observation[] {
  const parsed = parseLine(text);
  if ('fault' in parsed) throw new RecordingError(`${file}:${line}: ${parsed.fault}`);
  return parsed.observations;
}
