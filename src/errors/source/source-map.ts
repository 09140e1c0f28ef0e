import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type * as TraceMapping from '@jridgewell/trace-mapping';
import { readSourceFile, type ReadRules } from './read-source-file.js';

/** Loaded synchronously with the first map: reports are made synchronously, and most processes never make one. */
let library: typeof TraceMapping | undefined;

function traceMapping(): typeof TraceMapping {
  library ??= createRequire(import.meta.url)('@jridgewell/trace-mapping') as typeof TraceMapping; // the types of this package
  return library;
}

/** A compiled file's map, ready for lookups. */
export interface OpenedMap {
  readonly map: TraceMapping.TraceMap;
  /** Length of the map's text, used as its weight in the cache. */
  readonly weight: number;
}

/** The original of a compiled position: path, line and column, and the source text if the map contains it. */
export interface MappedPlace {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly content: string | undefined;
}

/**
 * Opens the map that a compiled file names in its last `sourceMappingURL` comment: an inline map, or a file that `rules`
 * allow. Returns undefined if there is no map or if it is broken.
 */
export function openSourceMap(path: string, compiled: string, rules: ReadRules): OpenedMap | undefined {
  const url = findMapUrl(compiled);
  if (url === undefined) return undefined;
  const text = url.startsWith('data:') ? decodeInline(url, rules.bytes) : readMapFile(path, url, rules);
  if (text === undefined) return undefined;
  try {
    // Maps may start with a line that prevents them from being run as a script (XSSI).
    const { AnyMap } = traceMapping();
    const map = new AnyMap(text.replace(/^\)\]\}'[^\n]*\n/, ''), pathToFileURL(mapPath(path, url)).href);
    return { map, weight: text.length };
  } catch {
    return undefined;
  }
}

/** Looks up a position in a map; line and column count from 1. Returns undefined if the map does not cover the position. */
export function findMappedPlace({ map }: OpenedMap, line: number, column: number): MappedPlace | undefined {
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
    return undefined; // broken mappings, or a source that is not a file
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
  try {
    return url.slice(0, comma).endsWith(';base64')
      ? Buffer.from(data, 'base64').toString()
      : decodeURIComponent(data);
  } catch {
    return undefined;
  }
}

function readMapFile(path: string, url: string, rules: ReadRules): string | undefined {
  const file = readSourceFile(mapPath(path, url), rules);
  return typeof file === 'string' ? undefined : file.text;
}

function mapPath(path: string, url: string): string {
  if (url.startsWith('data:')) return path;
  try {
    return url.startsWith('file://') ? fileURLToPath(url) : resolve(dirname(path), decodeURIComponent(url));
  } catch {
    return path;
  }
}
