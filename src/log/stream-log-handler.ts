import type { LogLevel } from './log-level.js';
import { logLevels } from './log-level.js';
import type { LogHandler, LogRecord } from './log-record.js';

// C0 and C1 control characters: a message must not be able to write a second line or move the terminal's cursor.
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/**
 * Writes a line a record: time, level, channel, message. Context stays in the request's record; where there is none,
 * `detail` gives the lines, safe to be written as they are, that are written below the record's own.
 */
export function createStreamLogHandler(
  stream: { write(text: string): unknown },
  options: { level?: LogLevel; detail?: (record: LogRecord) => string | undefined } = {},
): LogHandler {
  const { level = 'warning', detail } = options;
  const least = logLevels.indexOf(level);
  return {
    least: level,
    handle(record) {
      if (logLevels.indexOf(record.level) < least) return;
      const time = new Date(record.time).toISOString();
      const below = detail?.(record)?.trimEnd();
      stream.write(
        `${time} ${record.level.toUpperCase()} ${record.channel}: ${record.message.replace(CONTROL, escapeControl)}\n${below === undefined ? '' : `${below}\n`}`,
      );
    },
  };
}

function escapeControl(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
