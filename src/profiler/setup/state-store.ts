import { createHash } from 'node:crypto';
import { accessSync, constants, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { safely } from '#core/coded-error';
import { trimmedText, type Variables } from './environment.js';

/** Where the user's state is, and for which platform. */
export interface StateStoreOptions {
  readonly variables?: Variables;
  readonly platform?: NodeJS.Platform;
  readonly home?: string;
}

/**
 * Returns the address of the default store for programs that do not use the framework and are started in `folder`. It is
 * in the user's state folder, because a program may serve or watch its own folder: `$XDG_STATE_HOME/lookback`
 * (`~/.local/state/lookback`), on macOS `~/Library/Application Support/lookback`, on Windows
 * `%LOCALAPPDATA%\lookback`; `memory:` if that cannot be written, or is a link that another user may have made or may replace. The name of the file follows from the path of `folder`.
 */
export function stateStoreAddress(folder: string = process.cwd(), options: StateStoreOptions = {}): string {
  const path = realPath(folder);
  const label = basename(path)
    .replaceAll(/[^\w.-]+/g, '-')
    .slice(0, 40); // empty for the root
  const hash = createHash('sha256').update(path).digest('hex').slice(0, 12);
  const location = stateFolder(options);
  return location === undefined || problemOf(location) !== undefined
    ? 'memory:'
    : `sqlite:${join(location, `${label || 'root'}-${hash}.db`)}`;
}

/** Returns why the default store is in memory: no state folder of the user can be written; undefined if one can. */
export function whyInMemory(options: StateStoreOptions = {}): string | undefined {
  const location = stateFolder(options);
  if (location === undefined) return 'this user has no home';
  return problemOf(location);
}

/** Returns the paths of the stores of all programs in the user's state folder. */
export function listStateStores(options: StateStoreOptions = {}): readonly string[] {
  const location = stateFolder(options);
  if (location === undefined || problemOf(location) !== undefined) return [];
  const names = safely(() => readdirSync(location), []);
  return names.filter((name) => /-[\da-f]{12}\.db$/.test(name)).map((name) => join(location, name));
}

/** Returns why no record is kept in a folder; undefined if it can have some. */
function problemOf(location: string): string | undefined {
  const problem = problemOfLink(dirname(location)) ?? problemOfLink(location);
  if (problem !== undefined) return problem;
  return isWritable(location) ? undefined : `"${location}" cannot be written`;
}

/**
 * Returns why the records of this user must not be written through a link: another user may have made it, or may replace it.
 * Undefined if there is no link, or one of this user or of root, in a folder that not everybody can write, to a folder of this user.
 */
function problemOfLink(path: string): string | undefined {
  const link = safely(() => lstatSync(path), undefined);
  if (link?.isSymbolicLink() !== true) return undefined;
  const user = process.getuid?.();
  if (user === undefined) return `"${path}" is a link`; // Windows, where owners are not shown
  if (link.uid !== user && link.uid !== 0) return `"${path}" is a link of another user`;
  const isExposed = safely(() => (statSync(dirname(path)).mode & 0o002) !== 0, true);
  if (isExposed) return `"${path}" is a link in a folder that every user can write`;
  const isOwn = safely(() => statSync(path).uid === user, false);
  return isOwn ? undefined : `"${path}" is a link to a folder that is missing or of another user`;
}

/** Resolves links, so that each way to a folder leads to the same store. */
function realPath(folder: string): string {
  return safely(() => realpathSync.native(folder), folder);
}

function stateFolder({
  variables = process.env,
  platform = process.platform,
  home = safely(homedir, ''), // a user in a container may have none
}: StateStoreOptions): string | undefined {
  const { variable, below } = folders[platform] ?? { variable: 'XDG_STATE_HOME', below: '.local/state' };
  const named = trimmedText(variables, variable) ?? '';
  const folder = isAbsolute(named) ? named : join(home, below);
  return isAbsolute(folder) ? join(folder, 'lookback') : undefined;
}

/** The variable that names the state folder of a user, and where it is in their home otherwise. */
const folders: Partial<Record<NodeJS.Platform, { readonly variable: string; readonly below: string }>> = {
  win32: { variable: 'LOCALAPPDATA', below: 'AppData/Local' },
  darwin: { variable: '', below: 'Library/Application Support' },
};

/** Whether a folder, or the nearest one above it that exists, can be written. */
function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT'; // an error of `node:fs`
    return isAbsent && dirname(folder) !== folder && isWritable(dirname(folder));
  }
}
