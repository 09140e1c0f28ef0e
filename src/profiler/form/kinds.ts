import type { Picture } from '#dump';
import type { PackWriter } from '../pack/pack-writer.js';
import type { PieceReader } from '../pack/pack-reader.js';
import { readTaken, readValue, type TakenValue, writeTaken, writeTerms, writeValue } from '../pack/values.js';
import { type GivenSpans, type ReadSpan, readSpans, writeSpans } from './spans.js';
import { fromTicks, toTicks } from './ticks.js';

/** What the fields of each kind are given as, and read as. */
export interface KindTypes {
  flag: [given: boolean | undefined, read: boolean];
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
  /** Names and values in turn; names are words. */
  headers: [readonly string[], readonly string[]];
  spans: [GivenSpans, readonly ReadSpan[]];
}

/** Writes and reads one kind of field. What is given of another type is written as nothing of the kind. */
export interface Kind<Given, Read> {
  readonly write: (out: PackWriter, value: Given) => void;
  readonly read: (from: PieceReader) => Read;
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

/** Fields whose values are the browser's or the server's, the same for many visitors: words. Others are a visitor's own. */
const vocabulary: ReadonlySet<string> = new Set(
  (
    'Accept Accept-Encoding Accept-Language Cache-Control Connection Content-Type DNT Host Pragma Priority Sec-CH-UA ' +
    'Sec-CH-UA-Mobile Sec-CH-UA-Platform Sec-Fetch-Dest Sec-Fetch-Mode Sec-Fetch-Site Sec-Fetch-User TE ' +
    'Upgrade-Insecure-Requests Vary X-Content-Type-Options X-Frame-Options X-Robots-Tag'
  )
    .split(' ')
    .flatMap((name) => [name, name.toLowerCase()]),
);

function writeHeaders(out: PackWriter, flat: readonly string[]): void {
  out.number(flat.length);
  for (let at = 0; at < flat.length; at += 2) {
    const name = flat[at] ?? '';
    out.word(name);
    if (vocabulary.has(name)) out.word(flat[at + 1] ?? '');
    else out.ownWord(flat[at + 1] ?? '');
  }
}

function readHeaders(from: PieceReader): string[] {
  const flat: string[] = [];
  for (let left = from.count(); left > 0; left -= 2) flat.push(from.word() ?? '', from.word() ?? '');
  return flat;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function orNull(code: number): number | null {
  return code === 0 ? null : code - 1;
}
