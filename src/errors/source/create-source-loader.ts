import { extname } from 'node:path';
import { BoundedCache } from './bounded-cache.js';
import { ownSourceFolders } from './describe-place.js';
import { type ReadRules, readSourceFile, readStamp, type SourceFile } from './read-source-file.js';
import { findMappedPlace, type OpenedMap, openSourceMap } from './source-map.js';

/** Options of `createSourceLoader`. */
export interface SourceLoaderOptions {
  /** Absolute path of the project; the working folder by default. */
  root?: string;
  /** Further folders whose code may be shown; this package's own by default. */
  folders?: readonly string[];
}

/** Size limit of a source file. */
const maxSourceBytes = 1 << 20;
/** Size limit of a source map. */
const maxMapBytes = 4 << 20;

const sourceExtensions = new Set(
  '.ts .tsx .mts .cts .js .jsx .mjs .cjs .vue .svelte .astro .mdx .coffee .civet'.split(' '),
);
const compiledExtensions = new Set(['.js', '.mjs', '.cjs', '.jsx']);
const processStart = Date.now() - process.uptime() * 1000;

/** Milliseconds before a file is checked for changes again: one report reads the same few files many times. */
const freshForMs = 200;

interface CachedSource {
  readonly stamp: string;
  checked: number;
  readonly source: LoadedSource | string;
  readonly map: OpenedMap | undefined;
}

interface EmbeddedSource {
  readonly content: string;
  readonly source: LoadedSource;
}

/**
 * Loads sources from the project's folder, with their source maps. Files are cached (bounded) and read again after they
 * have changed.
 */
export function createSourceLoader(options: SourceLoaderOptions = {}): SourceLoader {
  const { root = process.cwd(), folders = ownSourceFolders } = options;
  const rules: ReadRules = {
    folders: [root, ...folders],
    extensions: sourceExtensions,
    bytes: maxSourceBytes,
  };
  const mapRules: ReadRules = { ...rules, extensions: new Set(['.map', '.json']), bytes: maxMapBytes };
  const files = new BoundedCache<CachedSource>(200, 16 << 20);
  /** Sources that exist only inside a source map (`sourcesContent`). */
  const embedded = new BoundedCache<EmbeddedSource>(100, 16 << 20);

  const open = (path: string): CachedSource => {
    const known = files.get(path);
    const now = performance.now();
    if (known !== undefined && now - known.checked < freshForMs) return known;
    const stamp = readStamp(path);
    if (known !== undefined && known.stamp === stamp) {
      known.checked = now;
      return known;
    }
    const read = readSourceFile(path, rules);
    const fresh: CachedSource = { ...readParts(read, path, mapRules), stamp, checked: now };
    files.set(path, fresh, (typeof read === 'string' ? 0 : read.text.length) + (fresh.map?.weight ?? 0));
    return fresh;
  };

  return {
    load(path) {
      const { source } = open(path);
      return (typeof source === 'string' ? embedded.get(path)?.source : undefined) ?? source;
    },
    findOriginal({ path, line, column }: SourcePosition) {
      if (line < 1 || !compiledExtensions.has(extname(path))) return undefined;
      const { map } = open(path);
      const place = map === undefined ? undefined : findMappedPlace(map, line, column);
      if (place === undefined) return undefined;
      const { content } = place;
      if (
        content !== undefined &&
        content.length <= maxSourceBytes &&
        embedded.get(place.path)?.content !== content
      )
        embedded.set(place.path, embeddedSource(content), content.length * 2);
      return { path: place.path, line: place.line, column: place.column };
    },
  };
}

function readParts(
  read: SourceFile | string,
  path: string,
  mapRules: ReadRules,
): Pick<CachedSource, 'source' | 'map'> {
  if (typeof read === 'string') return { source: read, map: undefined };
  const source = { lines: read.text.split(/\r?\n/), changed: read.modified > processStart };
  const map = compiledExtensions.has(extname(path)) ? openSourceMap(path, read.text, mapRules) : undefined;
  return { source, map };
}

function embeddedSource(content: string): EmbeddedSource {
  return { content, source: { lines: content.split('\n'), changed: false } };
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
  /** Returns the lines of the file at an absolute path, or a sentence that says why they are not shown. */
  load(path: string): LoadedSource | string;
  /** Maps a position in compiled code to its original source; returns undefined if no source map covers it. */
  findOriginal(position: SourcePosition): SourcePosition | undefined;
}
