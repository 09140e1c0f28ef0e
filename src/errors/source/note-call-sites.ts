import { findSourceMap } from 'node:module';
import { ownSourceFolders } from './describe-place.js';
import { pathOfFile } from './path-of-file.js';

/** One call in the program as it runs; `file` is a path or file URL as V8 gives it, line and column count from 1. */
interface CallSite {
  readonly name: string | undefined;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** How far to look. */
interface CallSiteOptions {
  /** Frames that are looked at. */
  readonly depth: number;
  /** Calls that are given back at most. */
  readonly limit: number;
}

/**
 * Notes the application's calls that led to `below`, innermost first, without packages, Node itself and lookback.
 * Noting is cheap (a few microseconds): the frames are read on first use.
 */
export function noteCallSites(
  below: (...args: never[]) => unknown,
  { depth, limit }: CallSiteOptions,
): () => readonly CallSite[] {
  const { stackTraceLimit } = Error;
  let holder: { stack?: unknown } | undefined = {};
  Error.stackTraceLimit = depth;
  Error.captureStackTrace(holder, below);
  Error.stackTraceLimit = stackTraceLimit;
  let sites: readonly CallSite[] = [];
  return () => {
    if (holder === undefined) return sites;
    sites = applicationSites(readFrames(holder), limit);
    holder = undefined;
    return sites;
  };
}

/** The frames themselves: V8 formats a stack when it is first read, with the formatter of that moment. */
function readFrames(holder: { readonly stack?: unknown }): readonly NodeJS.CallSite[] {
  const formatter: unknown = Reflect.get(Error, 'prepareStackTrace');
  try {
    Error.prepareStackTrace = (_error, frames) => frames;
    return Array.isArray(holder.stack) ? holder.stack : [];
  } finally {
    Reflect.set(Error, 'prepareStackTrace', formatter);
  }
}

function applicationSites(frames: readonly NodeJS.CallSite[], limit: number): readonly CallSite[] {
  const sites: CallSite[] = [];
  for (const frame of frames) {
    const file = frame.getFileName() ?? '';
    if (!isApplication(file)) continue;
    const place = { line: frame.getLineNumber() ?? 0, column: frame.getColumnNumber() ?? 0 };
    sites.push({ name: frame.getFunctionName() ?? undefined, file, ...(writtenPlace(file, place) ?? place) });
    if (sites.length === limit) break;
  }
  return sites;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** Where it stands in a file that was compiled as it was loaded (tsx): what runs cannot be read. Others have their map on disk. */
function writtenPlace(file: string, { line, column }: Place): Place | undefined {
  if (!process.sourceMapsEnabled) return undefined;
  const entry = findSourceMap(file)?.findEntry(line - 1, column - 1);
  // Loaders put what they are into the query, of paths too.
  const named = (text: string): string => pathOfFile(text.split('?', 1).join(''));
  if (entry === undefined || !('originalSource' in entry) || named(entry.originalSource) !== named(file))
    return undefined;
  return { line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}

/** By file, since a path is read of a URL again and again otherwise; begun anew beyond so many, for code that is made as it runs. */
const applicationFiles = new Map<string, boolean>();
const maxFiles = 2000;

function isApplication(file: string): boolean {
  let answer = applicationFiles.get(file);
  if (answer !== undefined) return answer;
  if (applicationFiles.size >= maxFiles) applicationFiles.clear();
  applicationFiles.set(file, (answer = !isOutside(file)));
  return answer;
}

function isOutside(file: string): boolean {
  if (file === '' || file.startsWith('node:') || /[\\/]node_modules[\\/]/.test(file)) return true;
  const path = pathOfFile(file);
  return ownSourceFolders.some((folder) => path.startsWith(folder));
}
