import { createRedactor, type Redactor } from '#core/dump';
import type { LogHandler, LogLevel, LogRecord } from './log-record.js';

// C0 and C1 control characters and bidirectional formatting characters: a message must not be able to start another line, to
// move the cursor of a terminal, or to reverse text.
// oxlint-disable-next-line no-control-regex -- the expression searches for control characters
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Maximum characters written of a message; for longer ones, the number of omitted characters is added. */
const maxMessageLength = 16_384;

export interface StreamLogOptions {
  /** Minimum level that is written. Default `warning`. */
  readonly minLevel?: LogLevel;
  readonly except?: readonly string[];
  /** Returns lines to write below the record; they must be safe to write unchanged. */
  readonly detail?: (record: LogRecord) => string | undefined;
  /** Hides secrets in messages and channels. Default: a redactor for the standard names. */
  readonly redactor?: Redactor;
}

/**
 * Creates a handler that writes one line per record, without its context, followed by the lines that `detail` returns.
 */
export function createStreamLogHandler(
  stream: { write(text: string): unknown },
  options: StreamLogOptions = {},
): LogHandler {
  const { minLevel = 'warning', except = [], detail, redactor = createRedactor() } = options;
  const clean = (text: string): string => {
    const more = text.length - maxMessageLength;
    // Truncates before redacting, but keeps some extra characters so that a secret at the end is still recognised.
    const safe = redactor.text(more > 0 ? text.slice(0, maxMessageLength + 200) : text);
    const head = more > 0 ? `${safe.slice(0, maxMessageLength)}… (${more} more characters)` : safe;
    return head.replace(controlCharacters, escapeControl);
  };
  return {
    minLevel,
    handle(record) {
      if (except.includes(record.channel)) return;
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
