import { readFileSync } from 'node:fs';
import { webErrors } from './web-extension.js';

/** A folder below the served one, or a pattern for paths below it, which begin with a slash. */
export type ImmutableFiles = string | RegExp;

/** Which files never change. */
export interface ImmutableOptions {
  /**
   * Files that never change, because a change gives them another name: clients keep them for a year without
   * revalidation. A folder below the served one (`'/assets'`), a pattern for paths, a list of these, or a function.
   * Default: none.
   */
  readonly immutable?: ImmutableFiles | readonly ImmutableFiles[] | ((path: string) => boolean);
  /**
   * A manifest written by a build tool (a JSON file, as from Vite and webpack): the files it names are immutable if
   * their names contain a hash, such as `app.3f2a9c1b.js`. Read once, when the extension is created.
   */
  readonly manifest?: string;
}

/**
 * Returns the test for files that never change, given paths below the folder. `prefix` is its URL path without a
 * trailing slash.
 */
export function immutableFiles(
  { immutable = [], manifest }: ImmutableOptions,
  prefix: string,
): (path: string) => boolean {
  const named = typeof immutable === 'function' ? immutable : testOf(immutable);
  if (manifest === undefined) return named;
  const built = readManifest(manifest);
  return (path) => built.has(path) || built.has(prefix + path) || named(path);
}

function testOf(given: ImmutableFiles | readonly ImmutableFiles[]): (path: string) => boolean {
  const tests = (Array.isArray(given) ? given : [given]).map((each: unknown) => {
    if (each instanceof RegExp) {
      const pattern = new RegExp(each.source, each.flags.replace(/[gy]/g, '')); // these flags would remember the last match
      return (path: string) => pattern.test(path);
    }
    if (typeof each !== 'string' || each.replaceAll('/', '') === '') throw badImmutable(each);
    if (each.split('/').some((name) => name === '.' || name === '..')) throw badImmutable(each); // no path has these
    const folder = `/${each.replace(/^\/|\/$/g, '')}/`;
    return (path: string) => path.startsWith(folder);
  });
  return (path) => tests.some((test) => test(path));
}

function badImmutable(given: unknown): Error {
  return webErrors.create('WEB_BAD_OPTION', {
    option: 'immutable',
    what: 'staticFiles()',
    given: typeof given === 'string' ? `"${given}"` : typeof given,
    takes: 'a folder below the served one ("/assets"), a regular expression, a list of them, or a function',
  });
}

const maxManifestBytes = 16 * 1_048_576;

/**
 * Reads the files in a build manifest that have a hash in their names. Build tools agree on no format, so every string
 * value that is a path counts, but no key does: keys name sources, apart from the chunks that Vite makes itself
 * (`_shared-B7PI925R.js`, with the hash of the built file).
 */
function readManifest(file: string): ReadonlySet<string> {
  const paths = new Set<string>();
  const sources = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value === 'string') paths.add(`/${value.replace(/^(?:\.?\/)+/, '')}`);
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (!Array.isArray(value) && !key.startsWith('_')) sources.add(stemOf(key));
      collect(inner);
    }
  };
  try {
    const text = readFileSync(file);
    if (text.byteLength > maxManifestBytes) throw new Error(`it has more than ${maxManifestBytes} bytes`);
    collect(JSON.parse(text.toString()));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'it cannot be read';
    throw webErrors.create('WEB_MANIFEST_UNREADABLE', { file, reason }, { cause });
  }
  for (const path of paths) if (sources.has(stemOf(path)) || !isHashedName(path)) paths.delete(path);
  return paths;
}

/** The name without folder and extension. */
function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? name : name.slice(0, dot);
}

/** Whether a name contains a possible hash; only a manifest confirms it, because words and dates look similar. */
function isHashedName(path: string): boolean {
  const hash = hashedNamePattern.exec(path.slice(-200))?.[1] ?? '';
  return /\d/.test(hash) || (/[a-z]/.test(hash) && /[A-Z]/.test(hash));
}

/** A name with a hash before its extension, as build tools write it: `app.3f2a9c1b.js`, `index-DiwrgTda.css`. */
const hashedNamePattern = /[.\-_]([A-Za-z0-9_-]{6,64})\.[A-Za-z0-9]{1,8}$/;
