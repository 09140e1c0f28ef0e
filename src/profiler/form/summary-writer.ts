import type { RecordBucket } from '../model/profile-record.js';
import { recordSchema } from '../model/profile-record.js';
import type { ColumnFact, SegmentFacts } from '../model/segment-facts.js';
import { PackWriter } from '../pack/pack-writer.js';
import type { Column, ColumnKind, ColumnValue, GivenSummary } from './summary-columns.js';
import { toTicks } from './ticks.js';

/** Distinct values of a column that a segment is found by; with more it says nothing of them. */
const mostValues = 100;

/** The rows of a segment: kept row by row, written column by column, so that a search reads only those it asks about. */
export class SummaryWriter {
  readonly #columns: readonly Column[];
  readonly #values: ColumnValue[] = [];

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
  }

  add(row: GivenSummary): void {
    for (const { name } of this.#columns) this.#values.push(row[name] ?? null);
  }

  /** Takes back the last row. */
  undo(): void {
    this.#values.length -= this.#columns.length;
  }

  /** A pack: what the columns are, then a piece for each. */
  seal(bucket: RecordBucket): Uint8Array {
    const out = new PackWriter();
    out.number(recordSchema);
    out.word(bucket);
    out.number(this.#values.length / this.#columns.length);
    out.number(this.#columns.length);
    for (const { name, kind } of this.#columns) {
      out.word(name);
      out.word(kind);
    }
    out.end();
    for (const [place, { kind }] of this.#columns.entries()) {
      writeColumn(out, kind, this.#column(place));
      out.end();
    }
    return out.seal();
  }

  facts(): SegmentFacts {
    const facts: Record<string, ColumnFact> = {};
    for (const [place, { name, kind }] of this.#columns.entries()) {
      const fact = factOf(kind, this.#column(place));
      if (fact !== undefined) facts[name] = fact;
    }
    return facts;
  }

  #column(place: number): ColumnValue[] {
    const values: ColumnValue[] = [];
    for (let at = place; at < this.#values.length; at += this.#columns.length)
      values.push(this.#values[at] ?? null);
    return values;
  }
}

function writeColumn(out: PackWriter, kind: ColumnKind, values: readonly ColumnValue[]): void {
  let before = 0;
  for (const value of values) {
    if (kind === 'word') out.word(typeof value === 'string' ? value : null);
    else if (kind === 'text') writeText(out, value);
    else {
      const number = toWhole(kind, typeof value === 'number' ? value : 0);
      if (kind === 'count' || kind === 'ms') out.number(number);
      else out.signed(number - before);
      before = number;
    }
  }
}

function writeText(out: PackWriter, value: ColumnValue): void {
  if (typeof value !== 'string') return out.number(0);
  out.number(1);
  out.text(value);
}

function toWhole(kind: ColumnKind, value: number): number {
  if (kind === 'ms') return toTicks(value);
  return kind === 'time' ? Math.round(value * 1000) : value;
}

function factOf(kind: ColumnKind, values: readonly ColumnValue[]): ColumnFact | undefined {
  if (kind === 'text' || kind === 'step' || kind === 'time') return undefined;
  const distinct = new Set(values);
  if (distinct.size <= mostValues && kind !== 'ms') return { values: [...distinct] };
  if (kind === 'word') return undefined;
  let [least, greatest] = [Number.POSITIVE_INFINITY, 0];
  for (const value of values) {
    least = Math.min(least, Number(value));
    greatest = Math.max(greatest, Number(value));
  }
  return { least, greatest };
}
