/** A range of ids with what is known of them: `from` inclusive, `to` exclusive. */
interface Range<Note> {
  readonly from: number;
  readonly to: number;
  readonly note: Note;
}

const maxRanges = 1000;

/** Remembers something of ranges of ids, for the ranges that were added last. */
export class IdRanges<Note> {
  readonly #ranges: Range<Note>[] = [];

  add(from: number, to: number, note: Note): void {
    this.#ranges.push({ from, to, note });
    if (this.#ranges.length > maxRanges) this.#ranges.shift();
  }

  /** Returns what was noted last of an id. */
  noteOf(id: number): Note | undefined {
    return this.#ranges.findLast(({ from, to }) => id >= from && id < to)?.note;
  }
}
