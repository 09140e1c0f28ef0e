import { findSourceMap } from 'node:module';
import { ownSourceFolders } from './describe-place.js';
import { pathOfFile } from './parse-stack.js';

/** One frame of the running program. `file` is a path or file URL as V8 reports it; line and column count from 1. */
interface CallSite {
  readonly name: string | undefined;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Bounds of `captureCallSites`. */
interface CallSiteOptions {
  /** Maximum number of frames that are captured. */
  readonly depth: number;
  /** Maximum number of application frames that are returned. */
  readonly limit: number;
}

/**
 * Captures the application's frames that led to the call of `below`, innermost first, without packages, Node itself and
 * lookback. Capturing takes a few microseconds; the frames are read when the returned function is first called.
 */
export function captureCallSites(
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

/** Reads the structured frames: V8 formats a stack on first access, with the `prepareStackTrace` set at that moment. */
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
    sites.push({
      name: frame.getFunctionName() ?? undefined,
      file,
      ...(originalPlace(file, place) ?? place),
    });
    if (sites.length === limit) break;
  }
  return sites;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** Maps a position in a file that a loader compiled in memory (tsx) to its source. Other files have their map on disk. */
export function originalPlace(file: string, { line, column }: Place): Place | undefined {
  if (!process.sourceMapsEnabled) return undefined;
  const entry = findSourceMap(file)?.findEntry(line - 1, column - 1);
  // Loaders mark their modules with a query, on paths as well as on URLs.
  const named = (text: string): string => pathOfFile(text.split('?', 1).join(''));
  if (entry === undefined || !('originalSource' in entry) || named(entry.originalSource) !== named(file))
    return undefined;
  return { line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}

/** Whether a file belongs to the application, cached by file. Cleared at `maxFiles`: generated code can name any number. */
const applicationFiles = new Map<string, boolean>();
const maxFiles = 2000;

function isApplication(file: string): boolean {
  let answer = applicationFiles.get(file);
  if (answer !== undefined) return answer;
  if (applicationFiles.size >= maxFiles) applicationFiles.clear();
  applicationFiles.set(file, (answer = isApplicationFile(file)));
  return answer;
}

/** Returns whether a file, by path or URL, is neither Node's, nor a package's, nor below one of the folders (lookback's own). */
export function isApplicationFile(file: string, folders: readonly string[] = ownSourceFolders): boolean {
  if (file === '' || file.startsWith('node:') || /[\\/]node_modules[\\/]/.test(file)) return false;
  const path = pathOfFile(file);
  return !folders.some((folder) => path.startsWith(folder));
}
