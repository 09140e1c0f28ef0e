import { type Dirent, existsSync, type FSWatcher, readdirSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { safely } from '#core/coded-error';

/** Folders with generated or installed files, which are not watched. */
const ignored: ReadonlySet<string> = new Set(['node_modules', 'dist', 'build', 'coverage', 'var', 'tmp']);
/** Names of source files. Excludes databases and logs, which the application writes itself. */
const watched = /\.(?:[cm]?[jt]sx?|json|ya?ml|html?|css|sql)$|^\.env/;
/** Tests, which the application does not load. */
const testFolder = /^(?:tests?|__tests__|e2e)$/;
const testFile = /[._-](?:test|spec)\.[cm]?[jt]sx?$/;
const maxFolders = 5000;

/**
 * Calls `onChange` with the path of each source file below the folder, except tests, that is written, added or removed.
 */
export function watchFiles(
  root: string,
  onChange: (file: string) => void,
): { count(): number; close(): void } {
  // Each folder has its own watcher, because a recursive one would also watch node_modules.
  const folders = new Map<string, FSWatcher>();
  let isStarted = false;
  const add = (folder: string): void => {
    if (folders.has(folder) || folders.size >= maxFolders) return;
    try {
      const watcher = watch(folder, (_event, name) => {
        if (name === null) return;
        if (isSourceName(name)) onChange(join(folder, name));
        else if (!name.includes('.')) follow(join(folder, name));
      });
      watcher.on('error', () => remove(folder));
      folders.set(folder, watcher);
    } catch {
      return; // already removed
    }
    addBelow(folder);
    // Files in a new folder may have been written before it was watched.
    if (isStarted) for (const name of namesIn(folder, isSource)) onChange(join(folder, name));
  };
  /** Handles a folder that was added, removed, or removed and added again. */
  const follow = (path: string): void => {
    if (!existsSync(path)) remove(path);
    else addBelow(dirname(path));
  };
  const addBelow = (folder: string): void => {
    for (const name of namesIn(folder, isFolder)) add(join(folder, name));
  };
  const remove = (folder: string): void => {
    folders.get(folder)?.close();
    folders.delete(folder);
  };
  add(root);
  isStarted = true;
  return {
    count: () => folders.size,
    close() {
      for (const folder of folders.keys()) remove(folder);
    },
  };
}

const isFolder = (entry: Dirent): boolean =>
  entry.isDirectory() &&
  !ignored.has(entry.name) &&
  !testFolder.test(entry.name) &&
  !entry.name.startsWith('.');
const isSourceName = (name: string): boolean => watched.test(name) && !testFile.test(name);
const isSource = (entry: Dirent): boolean => entry.isFile() && isSourceName(entry.name);

function namesIn(folder: string, isWanted: (entry: Dirent) => boolean): readonly string[] {
  const entries = safely(() => readdirSync(folder, { withFileTypes: true }), []); // may be removed in the meantime
  return entries.filter(isWanted).map(({ name }) => name);
}
