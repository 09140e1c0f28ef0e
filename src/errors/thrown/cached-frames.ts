import { BoundedCache } from '../source/bounded-cache.js';
import type { ReportedFrame } from '../report/error-report.js';
import { endOfMessage } from '../source/parse-stack.js';
import { reportFrames, type FrameOptions } from './report-frames.js';
import type { LoadedSource, SourceLoader } from '../source/create-source-loader.js';

/** The frames of a stack, and the number of omitted ones. */
export interface FrameReport {
  readonly frames: readonly ReportedFrame[];
  readonly more: number;
}

interface CachedReport extends Omit<FrameOptions, 'sources'> {
  /** Every source that the report was made from, by path. */
  readonly used: ReadonlyMap<string, LoadedSource | string>;
  readonly report: FrameReport;
}

/** Cached frames by source loader, then by stack text. */
const framesByLoader = new WeakMap<SourceLoader, BoundedCache<CachedReport>>();

/**
 * Returns the frames of a stack as `reportFrames` reads them, cached: the same stack gives the same object until one of its
 * sources changes, so callers can cache by that object.
 */
export function cachedFrames(stack: string, message: string, options: FrameOptions): FrameReport {
  const calls = stack.slice(endOfMessage(stack, message));
  const cache = cacheOf(options.sources);
  const earlier = cache.get(calls);
  if (earlier !== undefined && isUnchanged(earlier, options)) return earlier.report;
  const used = new Map<string, LoadedSource | string>();
  const report = reportFrames(calls, { ...options, sources: recordLoads(options.sources, used) });
  const { root, libraryFolders, redactor, excerpts } = options;
  const entry = { root, libraryFolders, redactor, excerpts, used, report };
  cache.set(calls, entry, calls.length + weightOf(report));
  return report;
}

function cacheOf(sources: SourceLoader): BoundedCache<CachedReport> {
  let cache = framesByLoader.get(sources);
  if (cache === undefined)
    framesByLoader.set(sources, (cache = new BoundedCache<CachedReport>(200, 4 << 20)));
  return cache;
}

/** Returns whether a cached entry is still valid. A loader returns the same object for a file until the file is written. */
function isUnchanged(then: CachedReport, now: FrameOptions): boolean {
  if (then.root !== now.root || then.redactor !== now.redactor) return false;
  if (then.excerpts !== now.excerpts || then.libraryFolders !== now.libraryFolders) return false;
  for (const [path, source] of then.used) if (now.sources.load(path) !== source) return false;
  return true;
}

function recordLoads(sources: SourceLoader, used: Map<string, LoadedSource | string>): SourceLoader {
  const load = (path: string): LoadedSource | string => {
    const source = sources.load(path);
    used.set(path, source);
    return source;
  };
  return {
    load,
    findOriginal(position) {
      load(position.path);
      return sources.findOriginal(position);
    },
  };
}

function weightOf({ frames }: FrameReport): number {
  let weight = 0;
  for (const { excerpt } of frames) for (const line of excerpt?.lines ?? []) weight += line.length;
  return weight;
}
