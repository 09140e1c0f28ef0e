import type { FSWatcher } from 'node:fs';
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
  };
  /** A folder may have been added, or removed and added again. */
  const follow = (path: string): void => {
    if (!existsSync(path)) remove(path);
    else addBelow(dirname(path));
  };
  const addBelow = (folder: string): void => {
    for (const name of foldersIn(folder)) add(join(folder, name));
  };
  const remove = (folder: string): void => {
    folders.get(folder)?.close();
    folders.delete(folder);
  };
  add(root);
  return {
    count: () => folders.size,
    close() {
      for (const folder of folders.keys()) remove(folder);
    },
  };
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !ignored.has(entry.name) && !entry.name.startsWith('.'))
      .map(({ name }) => name);
  } catch {
    return []; // removed meanwhile
  }
}
