import type { Dirent, FSWatcher } from 'node:fs';
import { existsSync, readdirSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folders that hold what is made or installed, never what is written by hand. */
const ignored: ReadonlySet<string> = new Set(['node_modules', 'dist', 'build', 'coverage', 'var', 'tmp']);
/** What an application is made of; not its databases and logs, which it writes itself. */
const watched = /\.(?:[cm]?[jt]sx?|json|ya?ml|html?|css|sql)$|^\.env/;
/** Folders that are watched at most. */
const maxFolders = 5000;

export interface FileWatch {
  /** How many folders are watched. */
  count(): number;
  close(): void;
}

/** Calls `onChange` with the path of each source file below the folder that is written, added or removed. */
export function watchFiles(root: string, onChange: (file: string) => void): FileWatch {
  // One watch for each folder: a recursive one would also watch node_modules.
  const folders = new Map<string, FSWatcher>();
  let isStarted = false;
  const add = (folder: string): void => {
    if (folders.has(folder) || folders.size >= maxFolders) return;
    try {
      const watcher = watch(folder, (_event, name) => {
        if (name === null) return;
        if (watched.test(name)) onChange(join(folder, name));
        else if (!name.includes('.')) follow(join(folder, name));
      });
      watcher.on('error', () => remove(folder));
      folders.set(folder, watcher);
    } catch {
      return; // gone already
    }
    addBelow(folder);
    // What came with a new folder was written before anything watched it.
    if (isStarted) for (const name of namesIn(folder, isSource)) onChange(join(folder, name));
  };
  /** A folder may have been added, or removed and added again. */
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
  entry.isDirectory() && !ignored.has(entry.name) && !entry.name.startsWith('.');
const isSource = (entry: Dirent): boolean => entry.isFile() && watched.test(entry.name);

function namesIn(folder: string, isWanted: (entry: Dirent) => boolean): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(isWanted)
      .map(({ name }) => name);
  } catch {
    return []; // removed meanwhile
  }
}
