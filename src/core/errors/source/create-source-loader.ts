import type * as TraceMapping from '@jridgewell/trace-mapping';
import { extname, isAbsolute, relative, sep, basename, dirname, resolve } from 'node:path';
import { safely } from '#core/coded-error';
import { findWorkspace, ownSourceFolders } from './parse-stack.js';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

export interface SourceLoaderOptions {
  /** Absolute path to the project; by default the workspace (repository, monorepo) that contains the working directory. */
  root?: string;
  /** Further folders whose code may be shown; this package's own by default. */
  folders?: readonly string[];
}

const maxSourceBytes = 1 << 20;
/** Size limit for whole applications' bundles and their maps, which embed the sources. */
const maxBundleBytes = 32 << 20;
const maxMapBytes = 64 << 20;
/** Maximum number of cached files; the cache is cleared when it would exceed this. */
const maxKept = 200;

const sourceExtensions = new Set(
  '.ts .tsx .mts .cts .js .jsx .mjs .cjs .vue .svelte .astro .mdx .coffee .civet'.split(' '),
);
const compiledExtensions = new Set(['.js', '.mjs', '.cjs', '.jsx']);
const processStart = Date.now() - process.uptime() * 1000;

interface CachedSource {
  readonly stamp: string;
  readonly source: LoadedSource | string;
  readonly map: TraceMapping.TraceMap | undefined;
}

/**
 * Loads sources and source maps from the project's folder. Files are cached (bounded), and read again after a change.
 */
export function createSourceLoader(options: SourceLoaderOptions = {}): SourceLoader {
  const { root = findWorkspace(process.cwd()), folders = ownSourceFolders } = options;
  const rules: ReadRules = {
    folders: [root, ...folders],
    extensions: sourceExtensions,
    bytes: maxSourceBytes,
  };
  const bundleRules: ReadRules = { ...rules, bytes: maxBundleBytes };
  const mapRules: ReadRules = { ...rules, extensions: new Set(['.map', '.json']), bytes: maxMapBytes };
  const files = new Map<string, CachedSource>();
  /** Sources that exist only inside a source map (`sourcesContent`). */
  const embedded = new Map<string, { readonly content: string; readonly source: LoadedSource }>();

  const open = (path: string): CachedSource => {
    const known = files.get(path);
    const stamp = readStamp(path);
    if (known?.stamp === stamp) return known;
    const file = readSourceFile(path, rules);
    const isCompiled = compiledExtensions.has(extname(path));
    // A bundle that is too large to show may still have a map.
    const code = typeof file === 'string' && isCompiled ? readSourceFile(path, bundleRules) : file;
    const map = isCompiled && typeof code !== 'string' ? openSourceMap(path, code.text, mapRules) : undefined;
    if (typeof file === 'string') return keep(files, path, { stamp, source: file, map });
    const source = { lines: file.text.split(/\r?\n/), changed: file.modified > processStart };
    return keep(files, path, { stamp, source, map });
  };

  return {
    load(path) {
      const { source } = open(path);
      return (typeof source === 'string' ? embedded.get(path)?.source : undefined) ?? source;
    },
    findOriginal({ path, line, column }: SourcePosition) {
      if (line < 1 || !compiledExtensions.has(extname(path))) return undefined;
      const { map } = open(path);
      const found = map && findMappedLocation(map, line, column);
      if (found === undefined) return undefined;
      const { content, ...location } = found;
      const isNew = content !== undefined && embedded.get(location.path)?.content !== content;
      if (isNew && content.length <= maxSourceBytes) {
        const source = { lines: content.split('\n'), changed: false };
        keep(embedded, location.path, { content, source });
      }
      return location;
    },
  };
}

/** A source file as lines. */
export interface LoadedSource {
  readonly lines: readonly string[];
  /** Whether the file was written after the process started. */
  readonly changed: boolean;
}

/** A source position; line and column count from 1. */
export interface SourcePosition {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** Provides the source code of excerpts. Neither method throws; both read only files that may be shown. */
export interface SourceLoader {
  /** Returns the file's lines at an absolute path, or a sentence that says why they are not shown. */
  load(path: string): LoadedSource | string;
  /** Maps a position in compiled code to its original source; returns undefined if no source map covers it. */
  findOriginal(position: SourcePosition): SourcePosition | undefined;
}

function keep<Value>(cache: Map<string, Value>, path: string, value: Value): Value {
  if (cache.size >= maxKept) cache.clear();
  cache.set(path, value);
  return value;
}

interface SourceFile {
  readonly text: string;
  /** Epoch milliseconds. */
  readonly modified: number;
}

/** Rules for readable files: below these folders, with one of these extensions, up to this size. */
interface ReadRules {
  readonly folders: readonly string[];
  readonly extensions: ReadonlySet<string>;
  readonly bytes: number;
}

/** Build tools' dot folders that contain code. All other dot folders are refused. */
const allowedDotFolders = new Set(['.pnpm', '.next', '.nuxt', '.output', '.svelte-kit', '.vite', '.build']);

/**
 * Reads a regular file inside the folders, with links resolved, or returns the reason why not (dot file, extension,
 * size). Never throws.
 */
function readSourceFile(path: string, rules: ReadRules): SourceFile | string {
  if (!isAbsolute(path) || path.includes('\0')) return 'The frame does not refer to a file on this machine.';
  const named = refusalReason(path, rules);
  if (named !== undefined) return named;
  if (!existsSync(path)) return 'The source file does not exist.'; // a throw would be inspected like the application's
  try {
    const real = realpathSync(path);
    const refused = refusalReason(real, rules);
    if (refused !== undefined) return refused;
    const stats = statSync(real);
    if (!stats.isFile()) return 'This is not a regular file.';
    if (stats.size > rules.bytes)
      return `The file is too large to be shown (${Math.ceil(stats.size / 1024)} KiB).`;
    const text = readFileSync(real, 'utf8');
    if (text.slice(0, 4096).includes('\0')) return 'The file is not text.';
    return { text, modified: stats.mtimeMs };
  } catch {
    return 'The source file could not be read.';
  }
}

/** Returns a stamp that changes when the file is written; empty if the file cannot be examined. */
function readStamp(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? '' : `${stats.mtimeMs}:${stats.size}:${stats.ino}`;
  } catch {
    return '';
  }
}

function refusalReason(path: string, { folders, extensions }: ReadRules): string | undefined {
  const inside = folders
    .map((folder) => relative(folder, path))
    .find((way) => way !== '' && way.split(sep, 1)[0] !== '..' && !isAbsolute(way));
  if (inside === undefined) return 'The file is outside the project.';
  const hidden = inside.split(sep).some((part) => part.startsWith('.') && !allowedDotFolders.has(part));
  if (hidden) return 'Hidden files are not shown.';
  return extensions.has(extname(path).toLowerCase()) ? undefined : 'Only source code is shown.';
}

/** Loaded synchronously with the first map: reports are created synchronously, and most processes never create one. */
let library: typeof TraceMapping | undefined;

function traceMapping(): typeof TraceMapping {
  library ??= createRequire(import.meta.url)('@jridgewell/trace-mapping') as typeof TraceMapping; // the types of this package
  return library;
}

/** An original position, and the source text if the map contains it. */
interface MappedLocation extends SourcePosition {
  readonly content: string | undefined;
}

/**
 * Opens the map named by a compiled file's last `sourceMappingURL` comment: an inline map, or a file that `rules`
 * allow. Without a comment (a hidden map), uses the file of the same name with `.map`. Returns undefined if there is no
 * map or if it is malformed.
 */
function openSourceMap(path: string, compiled: string, rules: ReadRules): TraceMapping.TraceMap | undefined {
  const url = findMapUrl(compiled) ?? encodeURIComponent(`${basename(path)}.map`);
  const text = url.startsWith('data:') ? decodeInline(url, rules.bytes) : readMapFile(path, url, rules);
  if (text === undefined) return undefined;
  const { AnyMap } = traceMapping();
  return safely(() => new AnyMap(text, pathToFileURL(mapPath(path, url)).href), undefined);
}

/** Looks up a position in a map; line and column count from 1. Returns undefined if the map does not cover the position. */
function findMappedLocation(
  map: TraceMapping.TraceMap,
  line: number,
  column: number,
): MappedLocation | undefined {
  try {
    const { originalPositionFor, sourceContentFor } = traceMapping();
    const found = originalPositionFor(map, { line, column: Math.max(0, column - 1) });
    if (found.source === null) return undefined;
    const path = found.source.startsWith('file://')
      ? fileURLToPath(found.source)
      : resolve('/', found.source);
    const content = sourceContentFor(map, found.source) ?? undefined;
    return { path, line: found.line, column: found.column + 1, content };
  } catch {
    return undefined; // malformed mappings, or a source that is not a file
  }
}

function findMapUrl(compiled: string): string | undefined {
  const at = compiled.lastIndexOf('sourceMappingURL=');
  const before = compiled.slice(Math.max(0, at - 4), at);
  if (at === -1 || !/(?:\/\/|\/\*)[#@]\s?$/.test(before)) return undefined;
  return /^[^\s'"*]+/.exec(compiled.slice(at + 'sourceMappingURL='.length))?.[0];
}

function decodeInline(url: string, limit: number): string | undefined {
  const comma = url.indexOf(',');
  if (comma === -1 || url.length > limit * 1.4) return undefined;
  const data = url.slice(comma + 1);
  if (url.slice(0, comma).endsWith(';base64')) return Buffer.from(data, 'base64').toString();
  return safely(() => decodeURIComponent(data), undefined);
}

function readMapFile(path: string, url: string, rules: ReadRules): string | undefined {
  const file = readSourceFile(mapPath(path, url), rules);
  return typeof file === 'string' ? undefined : file.text;
}

function mapPath(path: string, url: string): string {
  if (url.startsWith('data:')) return path;
  const find = (): string =>
    url.startsWith('file://') ? fileURLToPath(url) : resolve(dirname(path), decodeURIComponent(url));
  return safely(find, path);
}
