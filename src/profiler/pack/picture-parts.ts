import { type Picture, type PictureEntry, pictureTypes } from '#dump';
import type { PackWriter } from './pack-writer.js';
import type { PieceReader } from './pack-reader.js';

const kinds: readonly PictureEntry['kind'][] = ['index', 'property', 'hidden', 'symbol', 'key'];
const numberOfType = new Map(pictureTypes.map((type, number) => [type, number]));
const numberOfKind = new Map(kinds.map((kind, number) => [kind, number]));
/** Flags for the optional fields of a picture, added to the number of its type (there are fewer than 32 types). */
const presenceBits = { text: 32, entries: 64, length: 128, more: 256, cut: 512, id: 1024 } as const;
const cuts = ['depth', 'size', 'time'] as const;
/** Flags added to the number of an entry's kind. */
const entryFlags = { keyPicture: 8, name: 16 } as const;

/** Writes a picture. Names of keys and classes are written as words. */
export function writePictureParts(out: PackWriter, picture: Picture): void {
  const { type, text, entries, length, more, cut, id } = picture;
  out.number(
    (numberOfType.get(type) ?? 0) +
      (text === undefined ? 0 : presenceBits.text) +
      (entries === undefined ? 0 : presenceBits.entries) +
      (length === undefined ? 0 : presenceBits.length) +
      (more === undefined ? 0 : presenceBits.more) +
      (cut === undefined ? 0 : presenceBits.cut) +
      (id === undefined ? 0 : presenceBits.id),
  );
  if (text !== undefined) {
    if (entries === undefined) out.text(text);
    else out.word(text);
  }
  if (length !== undefined) out.number(length);
  if (more !== undefined) out.number(more);
  if (cut !== undefined) out.number(cuts.indexOf(cut));
  if (id !== undefined) out.number(id);
  if (entries === undefined) return;
  out.number(entries.length);
  for (let place = 0; place < entries.length; place++) {
    const entry = entries[place];
    if (entry !== undefined) writeEntry(out, entry, place);
  }
}

/** Reads what `writePictureParts` wrote. Throws a RangeError if it is damaged. */
export function readPictureParts(from: PieceReader): Picture {
  const code = from.number();
  const type = pictureTypes[code % 32];
  if (type === undefined) throw new RangeError('A picture is damaged.');
  const hasEntries = (code & presenceBits.entries) !== 0;
  const text = (code & presenceBits.text) === 0 ? undefined : hasEntries ? (from.word() ?? '') : from.text();
  const length = (code & presenceBits.length) === 0 ? undefined : from.number();
  const more = (code & presenceBits.more) === 0 ? undefined : from.number();
  const cut = (code & presenceBits.cut) === 0 ? undefined : cuts[from.number()];
  const id = (code & presenceBits.id) === 0 ? undefined : from.number();
  return {
    type,
    ...(text === undefined ? {} : { text }),
    ...(length === undefined ? {} : { length }),
    ...(more === undefined ? {} : { more }),
    ...(cut === undefined ? {} : { cut }),
    ...(id === undefined ? {} : { id }),
    ...(hasEntries ? { entries: readEntries(from) } : {}),
  };
}

function writeEntry(out: PackWriter, { key, kind, keyPicture, value }: PictureEntry, place: number): void {
  // The index of a list item is implied by its position, except in a sparse list.
  const hasName = kind !== 'index' || key !== String(place);
  out.number(
    (numberOfKind.get(kind) ?? 0) +
      (keyPicture === undefined ? 0 : entryFlags.keyPicture) +
      (hasName ? entryFlags.name : 0),
  );
  if (hasName) out.word(key);
  if (keyPicture !== undefined) writePictureParts(out, keyPicture);
  writePictureParts(out, value);
}

function readEntries(from: PieceReader): PictureEntry[] {
  return Array.from({ length: from.count() }, (_, place) => {
    const code = from.number();
    const kind = kinds[code % 8];
    if (kind === undefined) throw new RangeError('A picture is damaged.');
    const key = (code & entryFlags.name) === 0 ? String(place) : (from.word() ?? '');
    const keyPicture = (code & entryFlags.keyPicture) === 0 ? undefined : readPictureParts(from);
    return {
      key,
      kind,
      ...(keyPicture === undefined ? {} : { keyPicture }),
      value: readPictureParts(from),
    };
  });
}
