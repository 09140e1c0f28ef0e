import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  type Stats,
} from 'node:fs';
import { extname, isAbsolute, relative, sep } from 'node:path';

/** Text of a file, and a stamp that changes when the file is written. */
export interface SourceFile {
  readonly text: string;
  readonly stamp: string;
  /** Epoch milliseconds. */
  readonly modified: number;
}

/** Which files may be read: those below these folders, with one of these extensions, up to this size. */
export interface ReadRules {
  readonly folders: readonly string[];
  readonly extensions: ReadonlySet<string>;
  readonly bytes: number;
}

/** Dot folders of build tools that contain code. All other dot folders are refused. */
const allowedDotFolders = new Set(['.pnpm', '.next', '.nuxt', '.output', '.svelte-kit', '.vite', '.build']);

/**
 * Reads a source file, or returns a sentence that says why not. Reads only regular files that are inside the given folders
 * even after symbolic links are resolved; refuses dot files, other extensions and files over the size limit. Never throws.
 */
export function readSourceFile(path: string, rules: ReadRules): SourceFile | string {
  if (!isAbsolute(path) || path.includes('\0')) return 'The frame names no file on this machine.';
  const named = refusalReason(path, rules);
  if (named !== undefined) return named;
  let descriptor: number | undefined;
  try {
    const real = realpathSync(path);
    const refused = refusalReason(real, rules);
    if (refused !== undefined) return refused;
    // Non-blocking, since opening a FIFO would wait for a writer; no following of a link created since `realpath`.
    descriptor = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return 'This is no regular file.';
    if (stats.size > rules.bytes)
      return `The file is too large to be shown (${Math.ceil(stats.size / 1024)} KiB).`;
    const text = readAll(descriptor, stats.size);
    if (text.slice(0, 4096).includes('\0')) return 'The file is not text.';
    return { text, stamp: stampOf(stats), modified: stats.mtimeMs };
  } catch (error) {
    return unreadableReason(error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Returns a stamp that changes when the file is written; empty if the file cannot be examined. */
export function readStamp(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? '' : stampOf(stats);
  } catch {
    return '';
  }
}

function stampOf(stats: Stats): string {
  return `${stats.mtimeMs}:${stats.size}:${stats.ino}`;
}

function readAll(descriptor: number, size: number): string {
  const bytes = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const count = readSync(descriptor, bytes, filled, size - filled, null);
    if (count === 0) break;
    filled += count;
  }
  return bytes.toString('utf8', 0, filled);
}

function refusalReason(path: string, { folders, extensions }: ReadRules): string | undefined {
  const inside = folders
    .map((folder) => relative(folder, path))
    .find((relativePath) => !isOutside(relativePath));
  if (inside === undefined) return 'The file lies outside the project.';
  const hidden = inside.split(sep).some((part) => part.startsWith('.') && !allowedDotFolders.has(part));
  if (hidden) return 'Hidden files are not shown.';
  return extensions.has(extname(path).toLowerCase()) ? undefined : 'Only source code is shown.';
}

function isOutside(relativePath: string): boolean {
  return (
    relativePath === '' ||
    relativePath === '..' ||
    relativePath.startsWith(`..${sep}`) ||
    isAbsolute(relativePath)
  );
}

function unreadableReason(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'The source file is not there.';
  if (code === 'ELOOP') return 'The path is a circle of symbolic links.';
  if (code === 'EACCES' || code === 'EPERM') return 'The source file may not be read by this process.';
  return 'The source file could not be read.';
}
