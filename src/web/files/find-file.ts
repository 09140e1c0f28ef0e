import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** The state of a file at the time of the lookup. */
export interface FoundFile {
  /** Path with symbolic links resolved. */
  readonly path: string;
  readonly size: number;
  /** Modification time in milliseconds since 1970. */
  readonly modified: number;
  readonly inode: number;
}

/** Finds the file at a path and follows symbolic links. Returns `folder` for a folder, undefined for anything else. */
export async function findFile(path: string): Promise<FoundFile | 'folder' | undefined> {
  try {
    const real = await realpath(path);
    const facts = await stat(real);
    if (facts.isDirectory()) return 'folder';
    if (!facts.isFile()) return undefined;
    return { path: real, size: facts.size, modified: facts.mtimeMs, inode: facts.ino };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Finds the file at a path below `root`; `root` itself must not contain symbolic links. Also returns undefined if a name
 * begins with a dot (except `.well-known`), if a file system might interpret a name differently, and if a symbolic link
 * leads out of the root.
 */
export async function findFileBelow(root: string, path: string): Promise<FoundFile | 'folder' | undefined> {
  const names = path.split('/').filter((name, at, all) => name !== '' || (at > 0 && at < all.length - 1));
  if (!names.every(isPlainName)) return undefined;
  const found = await findFile(join(root, ...names));
  if (typeof found !== 'object') return found;
  return found.path.startsWith(root.endsWith(sep) ? root : root + sep) ? found : undefined;
}

/** Refuses empty names, `..`, hidden files, separators and drives of other systems, and control characters. */
function isPlainName(name: string): boolean {
  if (name === '' || (name.startsWith('.') && name !== '.well-known')) return false;
  // eslint-disable-next-line no-control-regex -- names with control characters are refused
  return !/[\\:\x00-\x1f\x7f]/.test(name);
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG' || code === 'ELOOP';
}
