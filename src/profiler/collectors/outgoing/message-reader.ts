import type { Redactor } from '#dump';
import { CleanWords } from '../../redact/clean-words.js';
import type { ChannelMessage } from '../create-channel-collector.js';
import type { DbCallSite } from '../db-section.js';
import { readCallSite } from '../read-call-site.js';

/** Messages of one request, the first of them, and how many more there were. */
export interface KeptMessages {
  readonly messages: ChannelMessage[];
  more: number;
}

/** Keeps a message, up to so many. What it says is read when the record closes: it may go on until then. */
export function keepMessage(kept: KeptMessages, message: ChannelMessage, most: number): void {
  if (kept.messages.length < most) kept.messages.push(message);
  else kept.more++;
}

/** Reads fields of messages that anybody may publish: each is checked, bounded and without secrets. */
export class MessageReader {
  readonly redactor: Redactor;
  readonly #words: CleanWords;

  constructor(redactor: Redactor) {
    this.redactor = redactor;
    this.#words = new CleanWords(redactor);
  }

  /** A text of the program, cut at 300 characters. */
  word(value: unknown): string {
    return typeof value === 'string' ? this.#words.take(value.slice(0, 300)) : '';
  }

  /** A text, cut; null where there is none. */
  text(value: unknown, most = 1000): string | null {
    return typeof value === 'string' && value !== '' ? this.redactor.text(value.slice(0, most)) : null;
  }

  /** What an error says. */
  error(value: unknown): string | null {
    if (value === undefined || value === null) return null;
    const message: unknown = typeof value === 'object' ? Reflect.get(value, 'message') : value;
    return this.text(message) ?? 'failed';
  }

  callSite(value: unknown): DbCallSite[] {
    return readCallSite(value, this.#words);
  }
}

export function positiveNumber(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

export function countOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
