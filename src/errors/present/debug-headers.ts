import type { ErrorReport } from '../report/error-report.js';

/**
 * The headers by which a tool sees an error without reading the page, for debug only: the outer message
 * percent-encoded (its first 2,000 characters), and the file and line where the outer error was thrown.
 */
export function debugHeaders(report: ErrorReport): readonly (readonly [name: string, value: string])[] {
  const message = ['X-Debug-Exception', encode(report.message)] as const;
  const frame = report.errors.at(-1)?.frames.find((one) => one.path !== undefined);
  if (frame?.path === undefined) return [message];
  return [message, ['X-Debug-Exception-File', `${encode(frame.path)}:${frame.line}`]];
}

function encode(text: string): string {
  const encoded = encodeURIComponent(text.slice(0, 2000).toWellFormed());
  // Other alphabets grow ninefold; clients refuse header blocks over 16 KiB. Never cut inside an escape.
  return encoded.length <= 8000 ? encoded : encoded.slice(0, 8000).replace(/%.?$/, '');
}
