import { isAbsolute, relative } from 'node:path';

/** Formats milliseconds: `0.04 ms`, `12.3 ms`, `1.25 s`. */
export function formatMilliseconds(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value >= 999.5) return `${(value / 1_000).toFixed(2)} s`;
  // Thresholds account for rounding: 99.96 has as many digits as its rounded value.
  return `${value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2)} ms`;
}

/** Formats bytes in binary units: `512 B`, `12.4 KiB`. */
export function formatBytes(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  const unit = Math.max(0, Math.min(units.length - 1, Math.floor(Math.log2(Math.abs(value)) / 10)));
  return `${unit === 0 ? value : (value / 1024 ** unit).toFixed(1)} ${units[unit] ?? ''}`;
}

/** Returns a path relative to the working directory, like error frames; paths outside it stay unchanged. */
export function shortPath(file: string): string {
  const way = relative(process.cwd(), file);
  return way === '' || way.startsWith('..') || isAbsolute(way) ? file : way;
}

export function formatCount(value: number): string {
  return value.toLocaleString('en');
}

/** Formats an age in one unit: `just now`, `40 s ago`, `3 h ago`. */
export function formatAge(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1_000);
  if (seconds < 2) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  return `${formatCount(Math.floor(seconds / 86_400))} d ago`;
}

/** Formats epoch milliseconds as ISO 8601; invalid values as 1970. */
export function isoTime(at: number): string {
  // Date throws outside this range, and a store may hold anything.
  return new Date(Math.abs(at) <= 8.64e15 ? at : 0).toISOString();
}

/** Shortens a longer text to end in `…`, without splitting a surrogate pair. */
export function shorten(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).toWellFormed()}…` : text;
}

/** The end of a recorded text that was cut. */
export const cutMark = '… [cut]';

/** Truncates a recorded text and marks it as cut. */
export function cutRecorded(text: string, limit: number): string {
  return text.length > limit ? text.slice(0, limit) + cutMark : text;
}
