import type { Redactor } from '#dump';
import type { ChannelMessage } from './create-channel-collector.js';

/** A frame of the application's code in a call stack. */
export interface RecordedCallSite {
  readonly name: string | null;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Facts common to all calls to other services. The offset is negative if the call began before the request. */
export interface CallFacts {
  readonly offsetMs: number;
  readonly durationMs: number;
  readonly error: string | null;
  /** Innermost first. */
  readonly callSite: readonly RecordedCallSite[];
}

const maxLengths = { word: 300, text: 1000, file: 1000 };
const maxCounts = { frames: 6, items: 50 };

/** Reads fields of messages that anyone may publish: checks their types, bounds them and redacts secrets. */
export class MessageReader {
  readonly redactor: Redactor;
  /** Cache for names of files and functions. */
  readonly #places: RedactionCache;
  /** Frames by the list that they were read from: lists of remembered call sites come again. */
  readonly #callSites = new WeakMap<object, readonly RecordedCallSite[]>();

  constructor(redactor: Redactor) {
    this.redactor = redactor;
    this.#places = new RedactionCache(redactor);
  }

  /** Returns a short text; empty if there is none. */
  word(value: unknown, length: number = maxLengths.word): string {
    return this.text(value, length) ?? '';
  }

  /** Returns a text, truncated to `length`; null if there is none. */
  text(value: unknown, length: number = maxLengths.text): string | null {
    return typeof value === 'string' && value !== '' ? this.redactor.text(value.slice(0, length)) : null;
  }

  /** Returns the message of an error; null if there is no error. */
  error(value: unknown): string | null {
    return value === undefined || value === null ? null : (this.text(messageOf(value)) ?? 'failed');
  }

  /** Returns the frames of a call site; malformed ones are skipped. */
  callSite(value: unknown): readonly RecordedCallSite[] {
    if (!Array.isArray(value)) return [];
    let frames = this.#callSites.get(value);
    if (frames === undefined) this.#callSites.set(value, (frames = this.#readFrames(value)));
    return frames;
  }

  #readFrames(given: readonly unknown[]): RecordedCallSite[] {
    const frames: RecordedCallSite[] = [];
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

  /** Returns the facts common to all calls. `startedAt`: when the request began. */
  call(message: ChannelMessage, startedAt: number): CallFacts {
    return {
      offsetMs: positiveNumber(message['startedAt']) - startedAt,
      durationMs: positiveNumber(message['durationMs']),
      error: this.error(message['error']),
      callSite: this.callSite(message['callSite']),
    };
  }
}

/** Returns the message of an error, unredacted. */
export function messageOf(error: unknown): string {
  const { message = error } = fieldsOf(error);
  return typeof message === 'string' ? message : 'failed';
}

/** Returns a text, unredacted but truncated to `length`; empty if the value is not a text. */
export function messageText(value: unknown, length = 500): string {
  return typeof value === 'string' ? value.slice(0, length) : '';
}

/** Returns the objects of a list, truncated to a maximum number. */
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
  return typeof value === 'object' && value !== null ? (value as ChannelMessage) : {}; // fields are read by name, and each is checked
}

const maxCached = 2000;
const maxCachedLength = 500;

/**
 * Redacts recurring texts of the program (names of files and functions), and caches those without secrets so that they are
 * not scanned again. Not for texts that may contain data of a request, which must not outlive it.
 */
export class RedactionCache {
  readonly #redactor: Redactor;
  readonly #clean = new Set<string>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  take(text: string): string {
    if (this.#clean.has(text)) return text;
    const clean = this.#redactor.text(text);
    if (clean !== text || text.length > maxCachedLength) return clean;
    if (this.#clean.size >= maxCached) this.#clean.clear();
    this.#clean.add(text);
    return text;
  }
}
