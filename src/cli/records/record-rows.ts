import { styleText } from 'node:util';
import type { ProfileSummary } from '#profiler';
import type { CliOutput } from '../command-line/cli-output.js';

/** Milliseconds for a column. */
export function formatMs(value: number): string {
  return value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${value.toFixed(value >= 100 ? 0 : 1)} ms`;
}

/** A moment in the reader's zone, to the second. */
export function formatTime(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}

/** A record as a row of a table. */
export function recordRow(row: ProfileSummary): Readonly<Record<string, string>> {
  const queries = row.collected['db.queries'] ?? 0;
  return {
    Token: row.token,
    Time: formatTime(row.startedAt),
    Status: row.status === 0 ? row.state : String(row.status),
    Method: row.method,
    Path: row.url.replace(/^[a-z]+:\/\/[^/?#]*/i, '') || '/',
    Duration: formatMs(row.durationMs),
    Queries: queries === 0 ? '' : String(queries),
    Route: row.route ?? '',
    Error: row.errorClass ?? '',
  };
}

/** Colours the status of a finished row. Its words and widths stay what they were. */
export function paintRow(output: CliOutput): (row: Readonly<Record<string, string>>, line: string) => string {
  if (output.isColored !== true) return (_row, line) => line;
  return ({ Status: status = '' }, line) => {
    const color =
      status >= '500' && status < '600' ? 'red' : status >= '400' && status < '500' ? 'yellow' : 'green';
    return /^\d+$/.test(status) ? line.replace(` ${status} `, ` ${styleText(color, status)} `) : line;
  };
}
