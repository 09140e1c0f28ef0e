import { readdirSync, readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { safely } from '#core/coded-error';
import { writeQuietly } from '#core/log';
import { openArchive, openStore, type ProfileRecord, readRecords } from '#profiler';
import { listStateStores, stateStoreAddress, whyInMemory } from '#profiler/setup';
import { cliErrors } from '../command-line/error-codes.js';
import { UsageError } from '../command-line/terminal.js';

/** Returns the store named in a folder's `.env` file, as its program reads it; undefined if none is named. */
export function storeOfFolder(folder: string): string | undefined {
  const text = safely(() => readFileSync(join(folder, '.env'), 'utf8'), '');
  const value = /^[ \t]*(?:export[ \t]+)?PROFILER_STORE[ \t]*=[ \t]*([^\r\n]{1,2000})/m
    .exec(text)?.[1]
    ?.trim();
  return value?.replace(/^(["'])([^]*)\1$/, '$2') || undefined;
}

export const ownStore = 'sqlite:var/profiler.db';

export type OpenedArchive = Awaited<ReturnType<typeof openArchive>>;

export const jsonOption = {
  json: { type: 'boolean', description: 'Print JSON, one line per entry' },
} as const;
export const maxLines = 1000;
export const limitOption = {
  limit: { type: 'string', short: 'n', default: '20', description: 'Maximum number of lines, up to 1,000' },
} as const;

/** Option that all record commands share: where the records are. */
export const storeOption = {
  store: {
    type: 'string',
    description:
      'Address of the store, or a file of records (default: PROFILER_STORE, else that of the program in this folder)',
  },
} as const;

/**
 * Returns the store address: the given one, the environment's, or the default. Throws a `UsageError` if it is invalid.
 */
export function findStoreAddress(given: string | undefined): string {
  const named = process.env['PROFILER_STORE'] || storeOfFolder('.');
  const address = given ?? (named === undefined || named === '' ? defaultStore() : named);
  if (address === 'off') throw new UsageError('The store is "off": nothing is recorded.');
  if (address === 'memory:')
    throw new UsageError(
      'The store is "memory:": records in memory cannot be read from another process. Start the program with a store ' +
        'that both can open, such as PROFILER_STORE=sqlite:var/profiler.db, or open the pages of the program itself.',
    );
  return address.includes(':') ? address : `sqlite:${address}`;
}

/** An existing store. */
interface KnownStore {
  readonly address: string;
  readonly writtenAt: number;
}

/**
 * Returns the store of the program in this folder: `var/profiler.db` for the framework, or the file in the user's state
 * folder for others; if both exist, the one written last. Otherwise a store from a package below, a folder above,
 * another package in the workspace, or any folder below, which is reported in one line. If there is none, throws a
 * `UsageError` that lists other stores.
 */
function defaultStore(): string {
  const here = latestOf(['.']);
  if (here !== undefined) return here.address;
  const folders = [packagesBelow('.'), foldersAbove('.'), packagesBeside('.'), foldersBelow('.')];
  for (const nearby of folders) {
    const found = latestOf(nearby);
    if (found === undefined) continue;
    sayOnce(`lookback: using the records of another folder: ${found.address}\n`);
    return found.address;
  }
  const others = listStateStores()
    .map((path) => ({ path, writtenAt: lastWrite(path) }))
    .toSorted((one, other) => other.writtenAt - one.writtenAt);
  const why = whyInMemory();
  if (why === undefined && others.length === 0) return ownStore;
  const none = `There is no ${ownStore.slice('sqlite:'.length)} of a lookback application in this folder, and `;
  if (why !== undefined)
    throw new UsageError(
      `${none}other programs keep their records in memory, as ${why}: set PROFILER_STORE.`,
    );
  const shown = others.slice(0, maxNamed).map(({ path }) => `  --store ${path}`);
  const left = others.length > maxNamed ? `\n  and ${others.length - maxNamed} more` : '';
  throw new UsageError(
    `${none}no records of another program started in it. Programs in other folders have these:\n${shown.join('\n')}${left}`,
  );
}

/** Lines already printed, which a server that looks again at each call does not repeat. */
const said = new Set<string>();

function sayOnce(line: string): void {
  if (said.has(line)) return;
  said.add(line);
  writeQuietly(() => process.stderr.write(line));
}

/** Maximum number of stores named in a message. */
const maxNamed = 8;
/** Maximum folders per level, and maximum levels, searched for packages. */
const maxFolders = 500;
const maxDepth = 3;

/** Returns the most recently written store in the given folders; undefined if there is none. */
function latestOf(folders: readonly string[]): KnownStore | undefined {
  const [latest] = folders
    .flatMap((folder) => {
      const own = folder === '.' ? ownStore : `sqlite:${join(folder, ownStore.slice('sqlite:'.length))}`;
      return [own, stateStoreAddress(resolve(folder))];
    })
    .map((address) => ({ address, writtenAt: lastWrite(address.slice('sqlite:'.length)) }))
    .toSorted((one, other) => other.writtenAt - one.writtenAt);
  return latest !== undefined && latest.writtenAt > 0 ? latest : undefined;
}

/** Returns the folders below that contain a `package.json`, as in a workspace. */
export function packagesBelow(top: string): readonly string[] {
  return foldersBelow(top).filter((folder) => lastWrite(join(folder, 'package.json')) > 0);
}

/** Returns the folders below, such as one with a program without its own `package.json`. */
export function foldersBelow(top: string): readonly string[] {
  const found: string[] = [];
  let level: readonly string[] = [top];
  for (let depth = 0; depth < maxDepth; depth++) {
    level = level.flatMap(foldersIn).slice(0, maxFolders);
    found.push(...level);
  }
  return found;
}

function foldersIn(folder: string): readonly string[] {
  return safely(() => readdirSync(folder, { withFileTypes: true }), [])
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .map(({ name }) => join(folder, name));
}

/** Returns the other packages in a folder's workspace; none if it is in no workspace. */
export function packagesBeside(folder: string): readonly string[] {
  const root = foldersAbove(folder).find(isWorkspace);
  return root === undefined ? [] : packagesBelow(root);
}

/**
 * Whether a folder is the root of a workspace, as npm, Yarn and Bun declare one in `package.json`, and pnpm in a file.
 */
function isWorkspace(folder: string): boolean {
  if (lastWrite(join(folder, 'pnpm-workspace.yaml')) > 0) return true;
  const manifest = safely(() => readFileSync(join(folder, 'package.json'), 'utf8'), '');
  return /"workspaces"\s*:/.test(manifest);
}

/** Returns the folders above, nearest first. */
export function foldersAbove(folder: string): readonly string[] {
  const above: string[] = [];
  for (let at = resolve(folder); at !== dirname(at); at = dirname(at)) above.push(dirname(at));
  return above;
}

/** Returns when a file or its write-ahead log was last written, in milliseconds since 1970; 0 if there is none. */
export function lastWrite(path: string): number {
  const times = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Math.max(...times);
}

/** Maximum file size in bytes, because a file is read as a whole. A typical record has about 10,000. */
const maxBytes = 256 * 1024 * 1024;

/** Reads a file's records. Throws `CLI_BAD_RECORD_FILE`. */
function readRecordFile(path: string): readonly ProfileRecord[] {
  let read: readonly ProfileRecord[] | string;
  try {
    read =
      statSync(path).size > maxBytes
        ? `it has more than ${maxBytes / 1024 / 1024} MiB: split it by lines`
        : readRecords(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    read = isMissing ? 'it does not exist' : error instanceof Error ? error.message : 'it cannot be read';
  }
  if (typeof read === 'string') throw cliErrors.create('CLI_BAD_RECORD_FILE', { path, problem: read });
  return read;
}

/** Opens a store's or file's records (JSON or JSON lines), runs `use`, and closes them. */
export async function withRecords<Result>(
  given: string | undefined,
  use: (archive: OpenedArchive, address: string) => Promise<Result>,
): Promise<Result> {
  const file = given !== undefined && /^(?!sqlite:).*\.jsonl?$/.test(given) ? given : undefined;
  const address = file ?? findStoreAddress(given);
  const records = file === undefined ? openStore(address, { isReadOnly: true }) : readRecordFile(file);
  const archive = await openArchive(records);
  return use(archive, address).finally(() => archive.close());
}

/** Returns whether a process on this machine, named as in records (`host:pid`), is running; null for other machines. */
export function isRunning(instance: string | null): boolean | null {
  const [, host, pid] = /^(.*):(\d+)$/.exec(instance ?? '') ?? [];
  if (host !== hostname() || pid === undefined) return null;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
