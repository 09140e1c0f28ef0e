import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** A file as it was when it was looked for. */
export interface FoundFile {
  /** Without symbolic links. */
  readonly path: string;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
  readonly inode: number;
}

/** The file at a path, wherever that leads; `folder` for a folder, undefined for anything else and for nothing. */
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
 * The file at a path of names below `root`, which has no symbolic link in it itself. Undefined also where a name begins
 * with a dot (except `.well-known`), where one could be read in another way by some file system, and where
 * the path leads out of the root over a symbolic link.
 */
export async function findFileBelow(root: string, path: string): Promise<FoundFile | 'folder' | undefined> {
  const names = path.split('/').filter((name, at, all) => name !== '' || (at > 0 && at < all.length - 1));
  if (!names.every(isPlainName)) return undefined;
  const found = await findFile(join(root, ...names));
  if (typeof found !== 'object') return found;
  return found.path.startsWith(root.endsWith(sep) ? root : root + sep) ? found : undefined;
}

/** No empty name, no `..`, no hidden file, no separator or drive of another system, no control character. */
function isPlainName(name: string): boolean {
  if (name === '' || (name.startsWith('.') && name !== '.well-known')) return false;
  // eslint-disable-next-line no-control-regex -- a name with one is refused
  return !/[\\:\x00-\x1f\x7f]/.test(name);
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG' || code === 'ELOOP';
}
