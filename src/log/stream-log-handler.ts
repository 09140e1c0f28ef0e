import type { LogLevel } from './log-level.js';
import { logLevels } from './log-level.js';
import type { LogHandler } from './log-record.js';

// C0 and C1 control characters: a message must not be able to write a second line or move the terminal's cursor.
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** Writes a line a record: time, level, channel, message. Context stays in the request's record. */
export function createStreamLogHandler(
  stream: { write(text: string): unknown },
  options: { level?: LogLevel } = {},
): LogHandler {
  const { level = 'warning' } = options;
  const least = logLevels.indexOf(level);
  return {
    least: level,
    handle(record) {
      if (logLevels.indexOf(record.level) < least) return;
      const time = new Date(record.time).toISOString();
      stream.write(
        `${time} ${record.level.toUpperCase()} ${record.channel}: ${record.message.replace(CONTROL, escapeControl)}\n`,
      );
    },
  };
}

function escapeControl(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
