import type { Picture, Redactor } from '#dump';
import type { LogRecord } from '#log';
import type { RecordedLog } from '../model/profile-record.js';
import { CleanWords } from './clean-words.js';
import { readPicture, writePicture } from './picture-tape.js';
import type { ShapeTable } from './shape-table.js';
import { SharedPicture } from './shared-picture.js';
import type { WordReader } from './word-reader.js';
import type { WordWriter } from './word-writer.js';

/** A log record with its context taken as it was. */
export interface TakenLog {
  readonly record: LogRecord;
  readonly message: string;
  readonly context: Picture | SharedPicture | undefined;
}

const contextForm = { none: 0, own: 2 } as const; // 1 stands in front of a shared picture
/** A message that is longer is not likely to come again. */
const longestWord = 200;
const longestChannel = 200;
const most = 100_000;

/** Writes what was logged. Levels, channels, and messages that were there before, belong to the shape of a record. */
export class LogListWriter {
  readonly #messages: CleanWords;
  /** Messages that stand in the record itself, in their order. */
  #own: string[] = [];

  constructor(redactor: Redactor) {
    this.#messages = new CleanWords(redactor);
  }

  describe(logs: readonly TakenLog[] | undefined, shape: ShapeTable): void {
    if (this.#own.length > 0) this.#own = [];
    shape.add(logs?.length ?? 0);
    if (logs === undefined) return;
    for (const { record, message, context } of logs) {
      shape.add(record.level);
      shape.add(record.channel.slice(0, longestChannel));
      shape.add(this.#share(message));
      if (context instanceof SharedPicture) shape.add(context);
      else shape.add(context === undefined ? contextForm.none : contextForm.own);
    }
  }

  write(logs: readonly TakenLog[] | undefined, startedAt: number, pack: WordWriter): void {
    if (logs === undefined) return;
    for (const { record, context } of logs) {
      // Since the beginning of the request; the clock may have been put back in the meantime.
      pack.number(Math.max(0, Math.round((record.time - startedAt) * 1000)));
      if (context !== undefined && !(context instanceof SharedPicture)) writePicture(pack, context);
    }
    for (const message of this.#own) pack.string(message);
  }

  /** The message, where the shape can have it; else null, and the record has it. */
  #share(message: string): string | null {
    if (message.length <= longestWord && this.#messages.knows(message)) return message;
    this.#own.push(this.#messages.take(message));
    return null;
  }
}

/** Reads what a `LogListWriter` wrote; `startedAt` of the request, in milliseconds since the epoch. */
export function readLogs(shape: WordReader, pack: WordReader, startedAt: number): RecordedLog[] {
  const logs = Array.from({ length: Math.min(shape.number(), most) }, () => {
    const level = shape.word() ?? '';
    const channel = shape.word() ?? '';
    const message = shape.word();
    const form = shape.number();
    const shared = form === contextForm.none || form === contextForm.own ? undefined : readPicture(shape);
    const offsetMs = pack.number() / 1000;
    const context = form === contextForm.own ? readPicture(pack) : shared;
    return { level, channel, message, offsetMs, context };
  });
  return logs.map(({ level, channel, message, offsetMs, context }) => ({
    time: startedAt + offsetMs,
    offsetMs,
    level,
    channel,
    message: message ?? pack.string(),
    ...(context === undefined ? {} : { context }),
  }));
}
