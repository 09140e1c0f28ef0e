import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { safely } from '#core/coded-error';
import { trimmedText, type Variables } from './environment.js';

/** Where the user's state is, and the platform. */
export interface StateStoreOptions {
  readonly variables?: Variables;
  readonly platform?: NodeJS.Platform;
  readonly home?: string;
}

/**
 * Returns the address of the default store for programs started in `folder` that do not use the framework. It is in the
 * user's state folder, because a program may serve or watch its own folder: `$XDG_STATE_HOME/lookback`
 * (`~/.local/state/lookback`), on macOS `~/Library/Application Support/lookback`, on Windows `%LOCALAPPDATA%\lookback`.
 * It is `memory:` if that folder is not writable, or is a link that another user may have made or may replace. The file
 * name is derived from the path of `folder`.
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

/** Returns why the default store is in memory: the user has no writable state folder. Undefined if there is one. */
export function whyInMemory(options: StateStoreOptions = {}): string | undefined {
  const location = stateFolder(options);
  if (location === undefined) return 'this user has no home directory';
  return problemOf(location);
}

/** Returns the paths to all programs' stores in the user's state folder. */
export function listStateStores(options: StateStoreOptions = {}): readonly string[] {
  const location = stateFolder(options);
  if (location === undefined || problemOf(location) !== undefined) return [];
  const names = existsSync(location) ? safely(() => readdirSync(location), []) : [];
  return names.filter((name) => /-[\da-f]{12}\.db$/.test(name)).map((name) => join(location, name));
}

/** Returns why records cannot be kept in a folder; undefined if they can. */
function problemOf(location: string): string | undefined {
  const problem = problemOfLink(dirname(location)) ?? problemOfLink(location);
  if (problem !== undefined) return problem;
  return isWritable(location) ? undefined : `"${location}" cannot be written`;
}

/**
 * Returns why this user's records must not be written through a link: another user may have made it, or may replace it. Undefined if it is
 * not a link, or if it was created by this user or root, is in a folder that not everybody can write, and points to this user's folder.
 */
function problemOfLink(path: string): string | undefined {
  const link = safely(() => lstatSync(path, { throwIfNoEntry: false }), undefined);
  if (link?.isSymbolicLink() !== true) return undefined;
  const user = process.getuid?.();
  if (user === undefined) return `"${path}" is a symbolic link`; // Windows does not show owners
  if (link.uid !== user && link.uid !== 0) return `"${path}" is a symbolic link owned by another user`;
  const isExposed = safely(() => (statSync(dirname(path)).mode & 0o002) !== 0, true);
  if (isExposed) return `"${path}" is a symbolic link in a folder that every user can write to`;
  const isOwn = safely(() => statSync(path).uid === user, false);
  return isOwn
    ? undefined
    : `"${path}" is a symbolic link to a folder that is missing or owned by another user`;
}

/** Resolves links, so that every path to a folder leads to the same store. */
function realPath(folder: string): string {
  return existsSync(folder) ? safely(() => realpathSync.native(folder), folder) : folder;
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

/** The variable that names a user's state folder, and its default location in the home folder. */
const folders: Partial<Record<NodeJS.Platform, { readonly variable: string; readonly below: string }>> = {
  win32: { variable: 'LOCALAPPDATA', below: 'AppData/Local' },
  darwin: { variable: '', below: 'Library/Application Support' },
};

/** Returns whether a folder, or its nearest existing parent, is writable. */
function isWritable(folder: string): boolean {
  if (!existsSync(folder) && dirname(folder) !== folder) return isWritable(dirname(folder));
  return safely(() => (accessSync(folder, constants.W_OK | constants.X_OK), true), false);
}
