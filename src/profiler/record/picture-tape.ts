import type { Picture, PictureEntry, PictureType } from '#dump';
import { jsonLength } from './json-length.js';
import type { WordReader } from './word-reader.js';
import { wordCode, type WordWriter } from './word-writer.js';

/** By their numbers on the tape: new ones go to the end, fewer than 32 in all. */
const types: readonly PictureType[] = [
  'undefined',
  'null',
  'boolean',
  'number',
  'bigint',
  'symbol',
  'string',
  'function',
  'date',
  'regexp',
  'promise',
  'proxy',
  'getter',
  'redacted',
  'reference',
  'unreadable',
  'object',
  'array',
  'map',
  'set',
  'error',
  'bytes',
];
const kinds: readonly PictureEntry['kind'][] = ['index', 'property', 'hidden', 'symbol', 'key'];
const numberOfType = new Map(types.map((type, number) => [type, number]));
const numberOfKind = new Map(kinds.map((kind, number) => [kind, number]));

/** What a picture has beside its type, added to the number of the type. */
const has = { text: 32, entries: 64, length: 128, more: 256, cut: 512, id: 1024 } as const;
const cuts = ['depth', 'size', 'time'] as const;
/** Added to the number of an entry's kind. */
const entryHas = { keyPicture: 8, name: 16 } as const;
/** A key that is longer is not likely to come again. */
const longestWord = 64;

/** Writes a picture as numbers and texts; names of keys and classes are words, since they come again. */
export function writePicture(pack: WordWriter, picture: Picture): void {
  const { type, text, entries, length, more, cut, id } = picture;
  pack.number(
    (numberOfType.get(type) ?? 0) +
      (text === undefined ? 0 : has.text) +
      (entries === undefined ? 0 : has.entries) +
      (length === undefined ? 0 : has.length) +
      (more === undefined ? 0 : has.more) +
      (cut === undefined ? 0 : has.cut) +
      (id === undefined ? 0 : has.id),
  );
  if (text !== undefined) {
    if (entries === undefined) pack.string(text);
    else writeName(pack, text);
  }
  if (length !== undefined) pack.number(length);
  if (more !== undefined) pack.number(more);
  if (cut !== undefined) pack.number(cuts.indexOf(cut));
  if (id !== undefined) pack.number(id);
  if (entries === undefined) return;
  pack.number(entries.length);
  for (let place = 0; place < entries.length; place++) {
    const entry = entries[place];
    if (entry !== undefined) writeEntry(pack, entry, place);
  }
}

/** Reads what `writePicture` wrote. Throws a RangeError where it is damaged. */
export function readPicture(pack: WordReader): Picture {
  const code = pack.number();
  const type = types[code % 32];
  if (type === undefined) throw new RangeError('A picture in the record is damaged.');
  const text =
    (code & has.text) === 0 ? undefined : (code & has.entries) === 0 ? pack.string() : (pack.word() ?? '');
  const length = (code & has.length) === 0 ? undefined : pack.number();
  const more = (code & has.more) === 0 ? undefined : pack.number();
  const cut = (code & has.cut) === 0 ? undefined : cuts[pack.number()];
  const id = (code & has.id) === 0 ? undefined : pack.number();
  return {
    type,
    ...(text === undefined ? {} : { text }),
    ...(length === undefined ? {} : { length }),
    ...(more === undefined ? {} : { more }),
    ...(cut === undefined ? {} : { cut }),
    ...(id === undefined ? {} : { id }),
    ...((code & has.entries) === 0 ? {} : { entries: readEntries(pack) }),
  };
}

/** What JSON needs around a picture, around what a bound took away, and around an entry. */
const jsonAround = { picture: 44, bounds: 80, entry: 52 } as const;

/** Characters that a picture takes as JSON, or a little more. */
export function weighPicture({ text, entries, length, more, cut, id }: Picture): number {
  let weight: number = jsonAround.picture;
  if (text !== undefined) weight += jsonLength(text);
  if (length !== undefined || more !== undefined || cut !== undefined || id !== undefined)
    weight += jsonAround.bounds;
  for (const { key, keyPicture, value } of entries ?? none) {
    weight += jsonAround.entry + jsonLength(key) + weighPicture(value);
    if (keyPicture !== undefined) weight += weighPicture(keyPicture);
  }
  return weight;
}

const none: readonly PictureEntry[] = [];

function writeEntry(pack: WordWriter, { key, kind, keyPicture, value }: PictureEntry, place: number): void {
  // Places of a list are counted when it is read; where there are holes, they are not enough.
  const hasName = kind !== 'index' || key !== String(place);
  pack.number(
    (numberOfKind.get(kind) ?? 0) +
      (keyPicture === undefined ? 0 : entryHas.keyPicture) +
      (hasName ? entryHas.name : 0),
  );
  if (hasName) writeName(pack, key);
  if (keyPicture !== undefined) writePicture(pack, keyPicture);
  writePicture(pack, value);
}

function readEntries(pack: WordReader): PictureEntry[] {
  const entries: PictureEntry[] = [];
  const count = pack.number();
  for (let place = 0; place < count; place++) {
    const code = pack.number();
    const kind = kinds[code % 8];
    if (kind === undefined) throw new RangeError('A picture in the record is damaged.');
    const key = (code & entryHas.name) === 0 ? String(place) : (pack.word() ?? '');
    const keyPicture = (code & entryHas.keyPicture) === 0 ? undefined : readPicture(pack);
    entries.push({
      key,
      kind,
      ...(keyPicture === undefined ? {} : { keyPicture }),
      value: readPicture(pack),
    });
  }
  return entries;
}

function writeName(pack: WordWriter, name: string): void {
  if (name.length <= longestWord) return pack.word(name);
  pack.number(wordCode.inline);
  pack.string(name);
}
