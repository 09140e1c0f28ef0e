import { createRedactor, dump, renderSnapshotLine, type Snapshot, type Redactor } from '#core/dump';
import { createSourceLoader, type SourceLoader } from '../source/create-source-loader.js';
import { ownSourceFolders } from '../source/parse-stack.js';
import type { ErrorReport, ReportedChain, ReportedError } from '../report/error-report.js';
import { isHttpError } from '../status/http-errors.js';
import { isError, findCause, readThrown, type ThrownFacts } from './read-thrown.js';
import { type FrameOptions, reportFrames } from './report-frames.js';
import { withLocals } from './local-variables.js';

export interface FlattenOptions {
  redactor?: Redactor;
  /** Loads sources for excerpts. Share one loader across the application, because it caches files. */
  sources?: SourceLoader;
  /** Maximum excerpts per error. Default: 4. */
  excerpts?: number;
  /** Folders whose code counts as library code. Default: this package's own folders. */
  libraryFolders?: readonly string[];
  /**
   * Whether positions in packages are mapped to their original sources too. Default: true. Their maps are large:
   * reading them takes longer than the rest of a first report.
   */
  mapsPackages?: boolean;
  /** Errors that the thrown one replaced, oldest first; reported before it, unless they are among its causes. */
  replaced?: readonly ReplacedThrown[];
}

/** A thrown value that a listener replaced, by assigning another error or by throwing one. */
export interface ReplacedThrown {
  readonly error: unknown;
  readonly by: string;
  readonly how: 'assigned' | 'threw';
}

interface Context extends FrameOptions {
  readonly visited: Set<unknown>;
  readonly labels: Map<unknown, string>;
  /** Remaining excerpts for the whole report. */
  budget: number;
}

const defaultRedactor = createRedactor();
const ownKeys = new Set<PropertyKey>(['message', 'stack', 'cause', 'errors', 'code', 'fix', 'name']);
/** Bounds: errors per chain, errors per AggregateError, and nesting levels of AggregateErrors. */
const maxErrors = 50;
const maxChildren = 20;
const maxTreeDepth = 3;
let defaultSources: SourceLoader | undefined; // created with the first error

/** Converts any thrown value to a plain report: bounded, redacted, with source excerpts. Never throws. */
export function flattenError(thrown: unknown, options: FlattenOptions = {}): ErrorReport {
  const status = isHttpError(thrown) ? thrown.status : 500;
  try {
    const context: Context = {
      redactor: options.redactor ?? defaultRedactor,
      sources: options.sources ?? (defaultSources ??= createSourceLoader()),
      excerpts: options.excerpts ?? 4,
      libraryFolders: options.libraryFolders ?? ownSourceFolders,
      mapsPackages: options.mapsPackages ?? true,
      known: new Set(),
      visited: new Set(),
      labels: new Map(),
      budget: 40,
    };
    const chain = reportLinks(walkAll(thrown, options.replaced, context), context, { prefix: '', level: 0 });
    const outer = chain.errors.at(-1);
    const origin = findOrigin(chain.errors);
    return {
      status,
      class: outer?.class ?? 'unknown',
      message: outer?.message ?? '',
      ...chain,
      ...(origin === undefined ? {} : { origin }),
    };
  } catch {
    return { status, class: 'unknown', message: 'The thrown value could not be read.', errors: [] };
  }
}

/** A chain's position in the tree of aggregated errors. */
interface Branch {
  /** The chain's label prefix: `2.1` for the first error aggregated by error 2; empty for the main chain. */
  readonly prefix: string;
  readonly level: number;
}

function reportChain(thrown: unknown, context: Context, branch: Branch): ReportedChain {
  return reportLinks(walkChain(thrown, maxErrors, context.visited), context, branch);
}

/** Walks a thrown value's causes, then the causes of the errors that it replaced, the last one first. */
function walkAll(
  thrown: unknown,
  replaced: readonly ReplacedThrown[] = [],
  { visited }: Context,
): ThrownChain {
  const chain = walkChain(thrown, maxErrors, visited);
  const links = [...chain.links];
  let { more } = chain;
  for (const one of replaced.toReversed()) {
    if (!links.some((link) => Object.is(link.thrown, one.error))) {
      const inner = walkChain(one.error, Math.max(1, maxErrors - links.length), visited);
      links.push(...inner.links);
      more += inner.more;
    }
    const { by, how } = one;
    const at = links.findIndex((link) => Object.is(link.thrown, one.error));
    const link = links[at];
    if (link !== undefined) links[at] = { ...link, replaced: { by, how } };
  }
  return { ...chain, links, more };
}

function reportLinks(chain: ThrownChain, context: Context, branch: Branch): ReportedChain {
  const count = chain.links.length;
  for (const [index, link] of chain.links.entries()) {
    context.labels.set(link.thrown, labelOf(branch.prefix, count - index, count));
  }
  // The innermost error is read first: it has the whole stack, and errors that wrap it keep only their own
  // frames.
  const errors = chain.links
    .toReversed()
    .map((link, index) => reportError(link, context, { ...branch, number: index + 1, chain }));
  return { errors, ...(chain.more > 0 ? { more: chain.more } : {}) };
}

function labelOf(prefix: string, number: number, count: number): string {
  if (prefix === '') return String(number);
  return count === 1 ? prefix : `${prefix}.${number}`;
}

function reportError(
  { facts, thrown, replaced }: ThrownLink,
  context: Context,
  { number, chain, prefix, level }: Branch & { readonly number: number; readonly chain: ThrownChain },
): ReportedError {
  const label = labelOf(prefix, number, chain.links.length);
  const { redactor } = context;
  const excerpts = Math.max(0, Math.min(context.excerpts, context.budget));
  const { frames, more } = reportFrames(facts.stack, facts.wholeMessage, { ...context, excerpts });
  context.budget -= frames.filter((frame) => frame.excerpt !== undefined).length;
  const circular =
    number === 1 && chain.circularTo !== undefined ? context.labels.get(chain.circularTo) : undefined;
  const properties = capturedProperties(thrown, redactor);
  return {
    number,
    label,
    class: redactor.text(facts.class),
    message: facts.message === '' ? describeObject(thrown, properties) : redactor.text(facts.message),
    ...(facts.code === undefined ? {} : { code: facts.code }),
    ...(facts.fix === undefined ? {} : { fix: redactor.text(facts.fix) }),
    ...(isHttpError(thrown) ? { status: thrown.status } : {}),
    ...(isError(thrown) ? {} : { isNoError: true as const }),
    ...(properties === undefined ? {} : { properties }),
    frames: withLocals(frames, thrown, context.sources),
    ...(more > 0 ? { moreFrames: more } : {}),
    isOuter: prefix === '' && number === chain.links.length,
    ...(replaced === undefined ? {} : { replaced: { ...replaced, by: redactor.text(replaced.by) } }),
    ...(circular === undefined ? {} : { circularTo: circular }),
    ...reportAggregated(facts.aggregated, context, { prefix: label, level }),
  };
}

function reportAggregated(
  aggregated: readonly unknown[],
  context: Context,
  { prefix, level }: Branch,
): Pick<ReportedError, 'children' | 'moreChildren'> {
  if (aggregated.length === 0) return {};
  const shown = level >= maxTreeDepth ? 0 : Math.min(aggregated.length, maxChildren);
  const children: ReportedChain[] = [];
  for (let index = 0; index < shown; index++) {
    const value = Object.getOwnPropertyDescriptor(aggregated, index)?.value as unknown; // typed as any by the library
    children.push(reportChain(value, context, { prefix: `${prefix}.${index + 1}`, level: level + 1 }));
  }
  const more = aggregated.length - shown;
  return { children, ...(more > 0 ? { moreChildren: more } : {}) };
}

/** Dumps an error's own properties except those shown separately; dumps any other value completely. */
function capturedProperties(thrown: unknown, redactor: Redactor): Snapshot | undefined {
  const limits = { redactor, bytes: 16_384, depth: 5, entries: 50, milliseconds: 5 };
  if (typeof thrown === 'string') return undefined;
  if (!isError(thrown)) return dump(thrown, limits);
  const own: object = Object.create(null) as object; // typed as any by the library
  let count = 0;
  for (const key of Reflect.ownKeys(thrown)) {
    if (ownKeys.has(key) || (key === 'status' && isHttpError(thrown))) continue;
    const property = Object.getOwnPropertyDescriptor(thrown, key);
    if (property?.enumerable !== true) continue;
    Object.defineProperty(own, key, property);
    count++;
    if (count >= 60) break;
  }
  // The copy has a null prototype, and the error's class is shown separately.
  return count === 0 ? undefined : { ...dump(own, limits), text: 'Object' };
}

const maxLineLength = 160;

/** Describes a thrown object that is not an error by its fields; any other value without a message has none. */
function describeObject(thrown: unknown, properties: Snapshot | undefined): string {
  const { entries = [] } = properties ?? {};
  if (properties === undefined || entries.length === 0 || isError(thrown)) return '';
  return renderSnapshotLine({ ...properties, text: 'Object' }, maxLineLength);
}

function findOrigin(errors: readonly ReportedError[]): ErrorReport['origin'] {
  const own = findOwnFrame(errors);
  if (own !== undefined) return own;
  const outer = errors.at(-1);
  const frame = outer?.frames.find((one) => one.path !== undefined);
  return outer === undefined || frame === undefined ? undefined : { error: outer.label, frame: frame.index };
}

/** The first application frame: in aggregated errors first, then in the error's own frames. */
function findOwnFrame(errors: readonly ReportedError[]): ErrorReport['origin'] {
  for (const { label, frames, children = [] } of errors) {
    for (const child of children) {
      const inner = findOwnFrame(child.errors);
      if (inner !== undefined) return inner;
    }
    const frame = frames.find((one) => one.kind === 'app');
    if (frame !== undefined) return { error: label, frame: frame.index };
  }
  return undefined;
}

interface ThrownLink {
  readonly thrown: unknown;
  readonly facts: ThrownFacts;
  readonly replaced?: Omit<ReplacedThrown, 'error'>;
}

/** A chain of causes, from the outer error inwards. */
interface ThrownChain {
  readonly links: readonly ThrownLink[];
  readonly more: number;
  /** The last link's cause, if it was already visited. */
  readonly circularTo: unknown;
}

/** Maximum number of causes that are counted beyond those read. */
const maxCountedCauses = 200_000;

/** Follows `cause` inwards, at most `limit` links, to an error visited before; the remaining ones are counted. */
export function walkChain(thrown: unknown, limit: number, visited: Set<unknown>): ThrownChain {
  const links: ThrownLink[] = [];
  let more = 0;
  let next: ThrownFacts['cause'] = { value: thrown };
  while (next !== undefined && more < maxCountedCauses) {
    const value: unknown = next.value;
    if (isObject(value)) {
      if (visited.has(value)) return { links, more, circularTo: more > 0 ? undefined : value };
      visited.add(value);
    }
    if (links.length < limit) {
      const facts = readThrown(value);
      links.push({ thrown: value, facts });
      next = facts.cause;
    } else {
      more++;
      next = isObject(value) ? findCause(value) : undefined;
    }
  }
  return { links, more, circularTo: undefined };
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
