import { createRedactor, type Redactor } from '#dump';
import { type LogLevel, logLevels, type LogHandler, type LogRecord } from './log-record.js';

// C0 and C1 control characters and those of direction: a message must not be able to write a second line, to move the
// terminal's cursor, or to turn words round.
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** What is written of one line; a message that is longer says how much more there was. */
const maxMessageLength = 16_384;

export interface StreamLogOptions {
  /** Least severe level that is written. Default `warning`. */
  readonly minLevel?: LogLevel;
  /** Channels that are not written. */
  readonly except?: readonly string[];
  /** The lines, safe to be written as they are, that are written below the record's own. */
  readonly detail?: (record: LogRecord) => string | undefined;
  /** Hides what is secret in messages and channels. Default: that of the standard names. */
  readonly redactor?: Redactor;
}

/**
 * Writes one line per record: time, level, channel, message and the request's id, without secrets and without control
 * characters. Context stays in the request's record; without a request, `detail` decides what is written of it.
 */
export function createStreamLogHandler(
  stream: { write(text: string): unknown },
  options: StreamLogOptions = {},
): LogHandler {
  const { minLevel = 'warning', except = [], detail, redactor = createRedactor() } = options;
  const minRank = logLevels.indexOf(minLevel);
  const clean = (text: string): string => {
    const more = text.length - maxMessageLength;
    // What is cut is cut first, with some slack that keeps a secret at the cut from losing its end.
    const safe = redactor.text(more > 0 ? text.slice(0, maxMessageLength + 200) : text);
    const head = more > 0 ? `${safe.slice(0, maxMessageLength)}… (${more} more characters)` : safe;
    return head.replace(controlCharacters, escapeControl);
  };
  return {
    minLevel,
    handle(record) {
      if (logLevels.indexOf(record.level) < minRank || except.includes(record.channel)) return;
      const time = new Date(record.time).toISOString();
      const below = detail?.(record)?.trimEnd();
      const id = record.requestId === undefined ? '' : ` [${clean(record.requestId)}]`;
      stream.write(
        `${time} ${record.level.toUpperCase()} ${clean(record.channel)}: ${clean(record.message)}${id}\n${below === undefined ? '' : `${below}\n`}`,
      );
    },
  };
}

function escapeControl(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
