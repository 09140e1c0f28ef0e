import type { Redactor } from '#dump';
import { RedactionCache } from '../redact/redaction-cache.js';
import type { ChannelMessage } from './create-channel-collector.js';

/** One of the application's calls that led to something. */
export interface RecordedCallSite {
  readonly name: string | null;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What is kept of all calls of a request to other services. What was under way when the request began has a negative offset. */
interface CallFacts {
  readonly offsetMs: number;
  readonly durationMs: number;
  readonly error: string | null;
  /** Innermost first. */
  readonly callSite: readonly RecordedCallSite[];
}

const maxLengths = { word: 300, text: 1000, file: 1000 };
const maxCounts = { frames: 6, items: 50 };

/** Reads fields of messages that anyone may publish: each is checked, bounded and without secrets. */
export class MessageReader {
  readonly redactor: Redactor;
  /** Files and functions: places in the program. */
  readonly #places: RedactionCache;

  constructor(redactor: Redactor) {
    this.redactor = redactor;
    this.#places = new RedactionCache(redactor);
  }

  /** A short text; empty where there is none. */
  word(value: unknown, length: number = maxLengths.word): string {
    return this.text(value, length) ?? '';
  }

  /** A text, cut; null where there is none. */
  text(value: unknown, length: number = maxLengths.text): string | null {
    return typeof value === 'string' && value !== '' ? this.redactor.text(value.slice(0, length)) : null;
  }

  /** What an error says. */
  error(value: unknown): string | null {
    return value === undefined || value === null ? null : (this.text(messageOf(value)) ?? 'failed');
  }

  /** The frames of a message, whatever they are. */
  callSite(value: unknown): RecordedCallSite[] {
    const frames: RecordedCallSite[] = [];
    const given: readonly unknown[] = Array.isArray(value) ? value : [];
    for (let at = 0; at < given.length && frames.length < maxCounts.frames; at++) {
      const { file, name, line, column } = fieldsOf(given[at]);
      if (typeof file !== 'string') continue;
      frames.push({
        name: typeof name === 'string' ? this.#places.take(name.slice(0, maxLengths.word)) : null,
        file: this.#places.take(file.slice(0, maxLengths.file)),
        line: countOf(line),
        column: countOf(column),
      });
    }
    return frames;
  }

  /** What every call has; `startedAt`: when the request began. */
  call(message: ChannelMessage, startedAt: number): CallFacts {
    return {
      offsetMs: positiveNumber(message['startedAt']) - startedAt,
      durationMs: positiveNumber(message['durationMs']),
      error: this.error(message['error']),
      callSite: this.callSite(message['callSite']),
    };
  }
}

/** What an error says, as it came. */
export function messageOf(error: unknown): string {
  const { message = error } = fieldsOf(error);
  return typeof message === 'string' ? message : 'failed';
}

/** A text as it came, cut; empty where it is none. */
export function messageText(value: unknown, length = 500): string {
  return typeof value === 'string' ? value.slice(0, length) : '';
}

/** A list of objects, cut. */
export function messagesOf(value: unknown): readonly ChannelMessage[] {
  if (!Array.isArray(value)) return [];
  return value
    .slice(0, maxCounts.items)
    .filter((item) => typeof item === 'object' && item !== null)
    .map(fieldsOf);
}

export function positiveNumber(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

export function countOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

export function countOf(value: unknown): number {
  return countOrNull(value) ?? 0;
}

function fieldsOf(value: unknown): ChannelMessage {
  return typeof value === 'object' && value !== null ? (value as ChannelMessage) : {}; // read by name, each checked
}
