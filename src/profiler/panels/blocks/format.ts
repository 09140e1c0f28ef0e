import { isAbsolute, relative } from 'node:path';

/** Milliseconds as people read them: `0.04 ms`, `12.3 ms`, `1.25 s`. */
export function formatMilliseconds(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value >= 1_000) return `${(value / 1_000).toFixed(2)} s`;
  if (value >= 100) return `${value.toFixed(0)} ms`;
  return `${value.toFixed(value >= 10 ? 1 : 2)} ms`;
}

/** Bytes in binary units: `512 B`, `12.4 KiB`. */
export function formatBytes(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  let amount = value;
  let unit = 0;
  while (Math.abs(amount) >= 1024 && unit < units.length - 1) {
    amount /= 1024;
    unit++;
  }
  return `${unit === 0 ? amount : amount.toFixed(1)} ${units[unit] ?? ''}`;
}

/** A path from the working folder on, as frames of errors are named; one outside of it as it is. */
export function shortPath(file: string): string {
  const way = relative(process.cwd(), file);
  return way === '' || way.startsWith('..') || isAbsolute(way) ? file : way;
}

/** A whole number with its thousands apart. */
export function formatCount(value: number): string {
  return value.toLocaleString('en');
}

/** `1 entry`, `2 entries`. */
export function plural(count: number, one: string, many: string = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** How long ago, in one unit: `just now`, `40 s ago`, `3 h ago`. */
export function formatAge(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1_000);
  if (seconds < 2) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

/** ISO 8601 of a moment; 1970 for what is none. */
export function isoTime(at: number): string {
  // Outside this range Date throws; a store may hold anything.
  return new Date(Math.abs(at) <= 8.64e15 ? at : 0).toISOString();
}
