import { findSourceMap } from 'node:module';
import { isInstalled, ownSourceFolders, pathOfFile } from './parse-stack.js';

/** A position in code. `file` is a path or a URL as V8 reports it; line and column count from 1. */
export interface CodePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One frame in the running program. */
export interface StackLocation extends CodePosition {
  readonly name: string | undefined;
}

interface CallSiteOptions {
  /** Maximum number of frames that are captured. */
  readonly depth: number;
  /** Maximum number of frames that are returned. */
  readonly limit: number;
  /** Also returns package frames. */
  readonly withPackages?: boolean;
}

/**
 * Captures the application's frames above `below`, innermost first, in microseconds; locations are read on the first
 * call.
 */
export function captureCallSites(
  below: (...args: never[]) => unknown,
  { depth, limit, withPackages = false }: CallSiteOptions,
): () => readonly StackLocation[] {
  const { stackTraceLimit } = Error;
  let holder: { stack?: unknown } | undefined = {};
  Reflect.set(Error, 'stackTraceLimit', depth); // may be frozen
  Error.captureStackTrace(holder, below);
  Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  let sites: readonly StackLocation[] = [];
  return () => {
    if (holder === undefined) return sites;
    sites = selectSites(readFrames(holder), { limit, withPackages });
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

function selectSites(
  frames: readonly NodeJS.CallSite[],
  { limit, withPackages }: Required<Omit<CallSiteOptions, 'depth'>>,
): readonly StackLocation[] {
  const sites: StackLocation[] = [];
  for (const frame of frames) {
    const file = frame.getFileName() ?? '';
    const origin = originOf(file);
    if (origin !== 'application' && !(withPackages && origin === 'package')) continue;
    const location = { line: frame.getLineNumber() ?? 0, column: frame.getColumnNumber() ?? 0 };
    sites.push({
      name: frame.getFunctionName() ?? undefined,
      file,
      ...(originalLocation(file, location) ?? location),
    });
    if (sites.length === limit) break;
  }
  return sites;
}

interface Location {
  readonly line: number;
  readonly column: number;
}

/**
 * Maps a position in a file that a loader compiled in memory (tsx) to its source. Other files have their source map on
 * disk.
 */
export function originalLocation(file: string, { line, column }: Location): Location | undefined {
  if (!process.sourceMapsEnabled) return undefined;
  const entry = findSourceMap(file)?.findEntry(line - 1, column - 1);
  // Loaders mark their modules with a query, on paths as well as on URLs.
  const named = (text: string): string => pathOfFile(text.split('?', 1).join(''));
  if (entry === undefined || !('originalSource' in entry) || named(entry.originalSource) !== named(file))
    return undefined;
  return { line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}

type Origin = 'application' | 'package' | 'inner';

/** Each file's owner, cached. Cleared at `maxFiles`, because generated code can name any number of files. */
const origins = new Map<string, Origin>();
const maxFiles = 2000;

function originOf(file: string): Origin {
  let origin = origins.get(file);
  if (origin !== undefined) return origin;
  if (origins.size >= maxFiles) origins.clear();
  origin = isApplicationFile(file)
    ? 'application'
    : isOwnOrNodes(file, ownSourceFolders)
      ? 'inner'
      : 'package';
  origins.set(file, origin);
  return origin;
}

/**
 * Returns whether a file, given as a path or URL, belongs neither to Node, nor to a package, nor to one of the folders
 * (lookback's own).
 */
export function isApplicationFile(file: string, folders: readonly string[] = ownSourceFolders): boolean {
  return !isInstalled(file) && !isOwnOrNodes(file, folders);
}

function isOwnOrNodes(file: string, folders: readonly string[]): boolean {
  if (file === '' || file.startsWith('node:') || file.startsWith('wasm:')) return true;
  const path = pathOfFile(file);
  return folders.some((folder) => path.startsWith(folder));
}

/** Call sites, and whether they were remembered from an earlier call instead of captured now. */
export interface CapturedSites<Site = StackLocation> {
  readonly sites: readonly Site[];
  readonly isRemembered: boolean;
}

interface Known<Site> {
  sites: readonly Site[];
  uses: number;
  /** It was seen at different call sites, so none is remembered. */
  varies: boolean;
}

/** Stacks captured for a new call before results are reused. */
const learned = 3;
const maxKnown = 2000;

/**
 * Remembers the call sites of repeated operations, because reading a stack takes longer than sending the operation. A
 * stack is captured the first few times, once in every `oneIn` (16) calls, after `doubt`, and always if there were
 * several call sites.
 */
export class CallSiteMemory<Site = StackLocation> {
  readonly #known = new Map<string, Known<Site>>();
  readonly #oneIn: number;

  constructor({ oneIn = 16 }: { readonly oneIn?: number } = {}) {
    this.#oneIn = oneIn;
  }

  /** Returns the call sites of the operation `what` on this route, captured with `capture` or remembered. */
  take(route: string, what: string, capture: () => readonly Site[]): CapturedSites<Site> {
    const key = keyOf(route, what);
    const known = this.#known.get(key);
    if (known === undefined) {
      if (this.#known.size >= maxKnown) this.#known.clear();
      const sites = capture();
      this.#known.set(key, { sites, uses: 1, varies: false });
      return { sites, isRemembered: false };
    }
    const { uses } = known;
    known.uses++;
    if (!known.varies && uses >= learned && uses % this.#oneIn !== 0)
      return { sites: known.sites, isRemembered: true };
    const sites = capture();
    if (JSON.stringify(sites) !== JSON.stringify(known.sites)) known.varies = true;
    return { sites, isRemembered: false };
  }

  /** Makes the next call capture a new stack, for example after a failure. */
  doubt(route: string, what: string): void {
    const known = this.#known.get(keyOf(route, what));
    if (known !== undefined) known.uses = 0;
  }
}

/** Keys are unique except for statements with the same length and the same first 1,000 characters. */
function keyOf(route: string, what: string): string {
  return `${route.length} ${what.length} ${route}${what.length > 1000 ? what.slice(0, 1000) : what}`;
}
