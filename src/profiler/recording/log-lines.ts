import type { LogRecord } from '#core/log';
import {
  isEncodedNodeWarning,
  type EncodedLog,
  type EncodedLogs,
  type CapturedContext,
} from '../encoding/encoded-record.js';
import { contextWeight } from './take-value.js';
import type { RecorderLimits } from './recorder-services.js';

interface CapturedLine {
  readonly record: LogRecord;
  readonly raw: EncodedLog;
  readonly weight: number;
}

/** Share of the limits (lines and text) reserved for the first lines; the last lines get the rest. */
const shareOfFirst = 0.1;
/** Number of dropped lines after which the array is compacted. */
const compactFrom = 256;

/** A request's log lines. Counts all of them; beyond the limits, keeps only the first and the last. */
export class LogLines {
  readonly #limits: RecorderLimits;
  readonly #first: CapturedLine[] = [];
  #firstText = 0;
  #last: CapturedLine[] = [];
  /** The index in `#last` of the first line that was not dropped. */
  #from = 0;
  #lastText = 0;
  omitted = 0;
  readonly byLevel: number[] = [0, 0, 0, 0, 0, 0, 0, 0];
  #nodeWarnings = 0;

  constructor(limits: RecorderLimits) {
    this.#limits = limits;
  }

  get total(): number {
    return this.byLevel.reduce((sum, count) => sum + count, 0);
  }

  add(record: LogRecord, raw: EncodedLog): void {
    const { level, message, context } = raw;
    this.byLevel[level] = (this.byLevel[level] ?? 0) + 1;
    if (isEncodedNodeWarning(raw)) this.#nodeWarnings++;
    const weight = message.length + (context === undefined ? 0 : contextWeight(context));
    const line: CapturedLine = { record, raw, weight };
    const { logs, logText } = this.#limits;
    const isFirst = this.#last.length === 0 && this.#first.length < logs * shareOfFirst;
    if (isFirst && this.#firstText + weight <= logText * shareOfFirst) {
      this.#first.push(line);
      this.#firstText += weight;
    } else this.#addLast(line);
  }

  contextOf(record: LogRecord): CapturedContext | undefined {
    const isSame = (line: CapturedLine): boolean => line.record === record;
    return (this.#first.find(isSame) ?? this.#last.find(isSame))?.raw.context;
  }

  toRaw(): EncodedLogs {
    const lines: EncodedLog[] = [];
    for (const { raw } of this.#first) lines.push(raw);
    for (const { raw } of this.#from === 0 ? this.#last : this.#last.slice(this.#from)) lines.push(raw);
    const { omitted, byLevel } = this;
    const nodeWarnings = this.#nodeWarnings;
    const more =
      omitted === 0 ? undefined : { omitted, omittedAfter: this.#first.length, byLevel, nodeWarnings };
    return { lines, more };
  }

  #addLast(line: CapturedLine): void {
    this.#last.push(line);
    this.#lastText += line.weight;
    const maxLines = this.#limits.logs - this.#first.length;
    const maxText = this.#limits.logText * (1 - shareOfFirst);
    while (this.#last.length - this.#from > maxLines || this.#lastText > maxText) {
      const oldest = this.#last[this.#from];
      // The latest line is always kept; its length is bounded separately.
      if (oldest === undefined || oldest === line) break;
      this.#lastText -= oldest.weight;
      this.#from++;
      this.omitted++;
    }
    if (this.#from < compactFrom) return;
    this.#last = this.#last.slice(this.#from);
    this.#from = 0;
  }
}
