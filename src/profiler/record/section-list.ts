import { readDbSection } from '../collectors/db-tape.js';
import { type PackedSection, sectionForm } from './packed-section.js';
import type { ShapeTable } from './shape-table.js';
import { SharedSection } from './shared-section.js';
import type { WordReader } from './word-reader.js';
import type { WordWriter } from './word-writer.js';

/** What a collector keeps: JSON, or what writes itself. */
export interface TakenSection {
  readonly name: string;
  readonly data: string | PackedSection | SharedSection;
}

const longestName = 100;

/** Names, and sections that many records have alike, belong to the shape of a record. */
export function describeSections(sections: readonly TakenSection[] | undefined, shape: ShapeTable): void {
  shape.add(sections?.length ?? 0);
  if (sections === undefined) return;
  for (const { name, data } of sections) {
    shape.add(name.length > longestName ? name.slice(0, longestName) : name);
    shape.add(data instanceof SharedSection ? data.json : null);
  }
}

/** `start` of the request, on the monotonic clock in milliseconds. */
export function writeSections(
  sections: readonly TakenSection[] | undefined,
  start: number,
  pack: WordWriter,
): void {
  if (sections === undefined) return;
  for (const { data } of sections) {
    if (data instanceof SharedSection) continue;
    if (typeof data === 'string') pack.string(data);
    else {
      // No JSON text is empty: where its length would be, this tells that there is none.
      pack.number(0);
      pack.number(data.form);
      data.write(pack, start);
    }
  }
}

/** `startedAt` of the request, in milliseconds since the epoch. */
export function readSections(
  shape: WordReader,
  pack: WordReader,
  startedAt: number,
): Record<string, unknown> {
  // Without prototype: a collector may be called `__proto__`.
  const sections = Object.create(null) as Record<string, unknown>; // any in the library's type
  for (let count = shape.number(); count > 0; count--) {
    const name = shape.word() ?? '';
    const shared = shape.word();
    sections[name] = shared === null ? readOwn(pack, startedAt) : (JSON.parse(shared) as unknown);
  }
  return sections;
}

function readOwn(pack: WordReader, startedAt: number): unknown {
  const length = pack.number();
  if (length > 0) return JSON.parse(pack.string(length)) as unknown;
  const form = pack.number();
  if (form === sectionForm.db) return readDbSection(pack, startedAt);
  throw new RangeError('A section of the record is damaged.');
}
