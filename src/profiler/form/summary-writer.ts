import type { RecordBucket } from '../model/profile-record.js';
import { recordSchema } from '../model/profile-record.js';
import type { ColumnFact, SegmentFacts } from '../model/segment-facts.js';
import { PackWriter } from '../pack/pack-writer.js';
import type { SummaryColumn, ColumnKind, ColumnValue, SummaryInput } from './summary-columns.js';
import { toTicks } from './ticks.js';

/** Maximum number of distinct values that a fact lists; with more, there is no such fact. */
const maxValues = 100;

/** Collects the summaries of a segment by row and writes them by column, so that a search reads only the columns it needs. */
export class SummaryWriter {
  readonly #columns: readonly SummaryColumn[];
  readonly #rows: SummaryInput[] = [];

  constructor(columns: readonly SummaryColumn[]) {
    this.#columns = columns;
  }

  add(row: SummaryInput): void {
    this.#rows.push(row);
  }

  /** Returns the rows as a pack (a head, then one piece per column), and the facts about the columns. */
  seal(bucket: RecordBucket): { readonly directory: Uint8Array; readonly facts: SegmentFacts } {
    const out = new PackWriter();
    const facts: Record<string, ColumnFact> = {};
    this.#writeHead(out, bucket);
    for (const { name, kind, value } of this.#columns) {
      const values = kind === 'same' ? [value ?? null] : this.#rows.map((row) => row[name] ?? null);
      writeColumn(out, kind, values);
      out.end();
      const fact = factOf(kind, values);
      if (fact !== undefined) facts[name] = fact;
    }
    return { directory: out.seal(), facts };
  }

  #writeHead(out: PackWriter, bucket: RecordBucket): void {
    out.number(recordSchema);
    out.word(bucket);
    out.number(this.#rows.length);
    out.number(this.#columns.length);
    for (const { name, kind } of this.#columns) {
      out.word(name);
      out.word(kind);
    }
    out.end();
  }
}

function writeColumn(out: PackWriter, kind: ColumnKind, values: readonly ColumnValue[]): void {
  if (kind === 'word' || kind === 'same')
    for (const value of values) out.word(typeof value === 'string' ? value : null);
  else if (kind === 'text') for (const value of values) writeText(out, value);
  else if (kind === 'count') for (const value of values) out.number(numberOf(value));
  else if (kind === 'ms') for (const value of values) out.number(toTicks(numberOf(value)));
  else writeSteps(out, kind === 'time' ? 1000 : 1, values);
}

/** Writes each number as the difference to the previous one. */
function writeSteps(out: PackWriter, scale: number, values: readonly ColumnValue[]): void {
  let before = 0;
  for (const value of values) {
    const number = Math.round(numberOf(value) * scale);
    out.signed(number - before);
    before = number;
  }
}

function numberOf(value: ColumnValue): number {
  return typeof value === 'number' ? value : 0;
}

function writeText(out: PackWriter, value: ColumnValue): void {
  if (typeof value !== 'string') return out.number(0);
  out.number(1);
  out.text(value);
}

function factOf(kind: ColumnKind, values: readonly ColumnValue[]): ColumnFact | undefined {
  if (kind === 'word' || kind === 'same') return distinctOf(values);
  if (kind !== 'count' && kind !== 'ms') return undefined;
  let least = Number.POSITIVE_INFINITY;
  let greatest = 0;
  for (const value of values) {
    const number = typeof value === 'number' ? value : 0;
    if (number < least) least = number;
    if (number > greatest) greatest = number;
  }
  const isFew = kind === 'count' && greatest > least;
  return (isFew ? distinctOf(values) : undefined) ?? { least, greatest };
}

/** Returns the distinct values; undefined if there are too many. */
function distinctOf(values: readonly ColumnValue[]): ColumnFact | undefined {
  const distinct = new Set<ColumnValue>();
  let before: ColumnValue | undefined;
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? null;
    if (value === before) continue;
    before = value;
    distinct.add(value);
    if (distinct.size > maxValues) return undefined;
  }
  return { values: [...distinct] };
}
