import type { Picture } from '#dump';
import type { PackWriter } from '../pack/pack-writer.js';
import type { PieceReader } from '../pack/pack-reader.js';
import { readTaken, readValue, type TakenValue, writeTaken, writeTerms, writeValue } from '../pack/values.js';
import { type SpansInput, type ReadSpan, readSpans, writeSpans } from './spans.js';
import { fromTicks, toTicks } from './ticks.js';

/** Input and output types of the fields of each kind. */
export interface KindTypes {
  flag: [input: boolean | undefined, output: boolean];
  count: [number, number];
  'count?': [number | null, number | null];
  ms: [number, number];
  offset: [number, number];
  text: [string, string];
  'text?': [string | null, string | null];
  word: [string, string];
  'word?': [string | null, string | null];
  value: [unknown, unknown];
  terms: [unknown, unknown];
  taken: [TakenValue, Picture];
  'taken?': [TakenValue | null, Picture | null];
  /** Names and values, alternating. */
  headers: [readonly string[], readonly string[]];
  spans: [SpansInput, readonly ReadSpan[]];
}

/** Writes and reads one kind of field. Input of a wrong type is written as the empty value of the kind (0, false, '', null). */
export interface Kind<Input, Output> {
  readonly write: (out: PackWriter, value: Input) => void;
  readonly read: (from: PieceReader) => Output;
}

export const kinds: { readonly [Name in keyof KindTypes]: Kind<KindTypes[Name][0], KindTypes[Name][1]> } = {
  flag: {
    write: (out, value) => out.number(value === true ? 1 : 0),
    read: (from) => from.number() === 1,
  },
  count: { write: (out, value) => out.number(value), read: (from) => from.number() },
  'count?': {
    write: (out, value) => out.number(typeof value === 'number' ? value + 1 : 0),
    read: (from) => orNull(from.number()),
  },
  ms: { write: (out, value) => out.number(toTicks(value)), read: (from) => fromTicks(from.number()) },
  offset: {
    write: (out, value) => out.signed(toTicks(value) || 0),
    read: (from) => fromTicks(from.signed()),
  },
  text: { write: (out, value) => out.text(textOf(value)), read: (from) => from.text() },
  'text?': {
    write(out, value) {
      out.number(typeof value === 'string' ? 1 : 0);
      if (typeof value === 'string') out.text(value);
    },
    read: (from) => (from.number() === 0 ? null : from.text()),
  },
  word: { write: (out, value) => out.word(textOf(value)), read: (from) => from.word() ?? '' },
  'word?': {
    write: (out, value) => out.word(typeof value === 'string' ? value : null),
    read: (from) => from.word(),
  },
  value: { write: writeValue, read: readValue },
  terms: { write: writeTerms, read: readValue },
  taken: { write: writeTaken, read: readTaken },
  'taken?': {
    write(out, value) {
      out.number(value === null || value === undefined ? 0 : 1);
      if (value !== null && value !== undefined) writeTaken(out, value);
    },
    read: (from) => (from.number() === 0 ? null : readTaken(from)),
  },
  headers: { write: writeHeaders, read: readHeaders },
  spans: { write: writeSpans, read: readSpans },
};

/** Writes the names together as one word, since a browser sends the same ones with each request, and the values as texts. */
function writeHeaders(out: PackWriter, flat: readonly string[]): void {
  out.names(flat);
  for (let at = 1; at < flat.length; at += 2) out.text(flat[at] ?? '');
}

function readHeaders(from: PieceReader): string[] {
  const isPlain = from.number() === 0;
  const word = from.word() ?? '';
  const names = isPlain ? word.split('\n').slice(0, -1) : (JSON.parse(word) as string[]); // as it was written
  return names.flatMap((name) => [name, from.text()]);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function orNull(code: number): number | null {
  return code === 0 ? null : code - 1;
}
