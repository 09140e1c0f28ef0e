import { createRedactor, dump, type Picture, type Redactor } from '#dump';
import { createSourceLoader, type SourceLoader } from '../source/create-source-loader.js';
import { ownSourceFolders } from '../source/describe-place.js';
import type { ErrorReport, ReportedChain, ReportedError } from '../report/error-report.js';
import { isHttpError } from '../status/http-error.js';
import { isError } from './read-thrown.js';
import { framesOf } from './remembered-frames.js';
import type { FrameOptions } from './report-frames.js';
import { walkChain, type ThrownChain, type ChainLink } from './walk-chain.js';

/** How a thrown value is read. All optional. */
export interface FlattenOptions {
  /** Absolute path of the project; frames inside it (and in no package) are the application's. The working folder by default. */
  root?: string;
  redactor?: Redactor;
  /** The source of excerpts; use one for the whole application, since it caches files. */
  sources?: SourceLoader;
  /** Excerpts of one error; 6. */
  excerpts?: number;
  /** Folders whose code counts as a library's; this package's own by default. */
  libraryFolders?: readonly string[];
}

interface Context extends FrameOptions {
  readonly met: Set<unknown>;
  readonly labels: Map<unknown, string>;
  /** Excerpts left for the whole report. */
  budget: number;
}

const defaultRedactor = createRedactor();
const ownKeys = new Set<PropertyKey>(['message', 'stack', 'cause', 'errors', 'code', 'fix', 'name']);
/** Errors of one chain, errors that one AggregateError gathered and levels of them. */
const maxErrors = 50;
const maxChildren = 20;
const maxTreeDepth = 3;
let defaultSources: SourceLoader | undefined; // made with the first error

/**
 * Any thrown value as plain report data: the chain of causes with the inner error first, frames in the original
 * sources with excerpts, gathered errors as a tree; bounded and without secrets. Never throws.
 */
export function flattenError(thrown: unknown, options: FlattenOptions = {}): ErrorReport {
  const status = isHttpError(thrown) ? thrown.status : 500;
  try {
    const chain = reportChain(thrown, createContext(options), { prefix: '', level: 0 });
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

function createContext(options: FlattenOptions): Context {
  return {
    root: options.root ?? process.cwd(),
    redactor: options.redactor ?? defaultRedactor,
    sources: options.sources ?? loaderFor(options.root),
    excerpts: options.excerpts ?? 6,
    libraryFolders: options.libraryFolders ?? ownSourceFolders,
    met: new Set(),
    labels: new Map(),
    budget: 60,
  };
}

function loaderFor(root: string | undefined): SourceLoader {
  return root === undefined ? (defaultSources ??= createSourceLoader()) : createSourceLoader({ root });
}

/** Where a chain stands in the tree of gathered errors. */
interface Branch {
  /** The label of the error that gathered it. */
  readonly prefix: string;
  readonly level: number;
}

function reportChain(thrown: unknown, context: Context, branch: Branch): ReportedChain {
  const chain = walkChain(thrown, maxErrors, context.met);
  const count = chain.links.length;
  for (const [place, link] of chain.links.entries()) {
    context.labels.set(link.thrown, labelOf(branch.prefix, count - place, count));
  }
  // The outer error is read first, so that it and its neighbours have the excerpts where these run out.
  const errors = chain.links.map((link, place) =>
    reportError(link, context, { ...branch, number: count - place, chain }),
  );
  return { errors: errors.reverse(), ...(chain.more > 0 ? { more: chain.more } : {}) };
}

function labelOf(prefix: string, number: number, count: number): string {
  if (prefix === '') return String(number);
  return count === 1 ? prefix : `${prefix}.${number}`;
}

function reportError(
  link: ChainLink,
  context: Context,
  { number, chain, prefix, level }: Branch & { readonly number: number; readonly chain: ThrownChain },
): ReportedError {
  const { facts, thrown } = link;
  const label = labelOf(prefix, number, chain.links.length);
  const { redactor } = context;
  const excerpts = Math.max(0, Math.min(context.excerpts, context.budget));
  const { frames, more } = framesOf(facts.stack, facts.wholeMessage, { ...context, excerpts });
  context.budget -= frames.filter((frame) => frame.excerpt !== undefined).length;
  const circular =
    number === 1 && chain.circularTo !== undefined ? context.labels.get(chain.circularTo) : undefined;
  const properties = picturedProperties(thrown, redactor);
  return {
    number,
    label,
    class: redactor.text(facts.class),
    message: redactor.text(facts.message),
    ...(facts.code === undefined ? {} : { code: facts.code }),
    ...(facts.fix === undefined ? {} : { fix: redactor.text(facts.fix) }),
    ...(isHttpError(thrown) ? { status: thrown.status } : {}),
    ...(isError(thrown) ? {} : { isNoError: true as const }),
    ...(properties === undefined ? {} : { properties }),
    frames,
    ...(more > 0 ? { moreFrames: more } : {}),
    isOuter: prefix === '' && number === chain.links.length,
    ...(circular === undefined ? {} : { circularTo: circular }),
    ...reportGathered(facts.gathered, context, { prefix: label, level }),
  };
}

function reportGathered(
  gathered: readonly unknown[],
  context: Context,
  { prefix, level }: Branch,
): Pick<ReportedError, 'children' | 'moreChildren'> {
  if (gathered.length === 0) return {};
  const shown = level >= maxTreeDepth ? 0 : Math.min(gathered.length, maxChildren);
  const children: ReportedChain[] = [];
  for (let place = 0; place < shown; place++) {
    const value = Object.getOwnPropertyDescriptor(gathered, place)?.value as unknown; // any in the library's type
    children.push(reportChain(value, context, { prefix: `${prefix}.${place + 1}`, level: level + 1 }));
  }
  const more = gathered.length - shown;
  return { children, ...(more > 0 ? { moreChildren: more } : {}) };
}

/** Own data of an error beside what is shown of every error; all of a thrown value that is no error. */
function picturedProperties(thrown: unknown, redactor: Redactor): Picture | undefined {
  const limits = { redactor, bytes: 16_384, depth: 5, entries: 50, milliseconds: 5 };
  if (typeof thrown === 'string') return undefined;
  if (!isError(thrown)) return dump(thrown, limits);
  const own: object = Object.create(null) as object; // any in the library's type
  let count = 0;
  for (const key of Reflect.ownKeys(thrown)) {
    if (ownKeys.has(key) || (key === 'status' && isHttpError(thrown))) continue;
    const property = Object.getOwnPropertyDescriptor(thrown, key);
    if (property?.enumerable !== true) continue;
    Object.defineProperty(own, key, property);
    count++;
    if (count >= 60) break;
  }
  // The copy has no class of its own; the error's stands beside it.
  return count === 0 ? undefined : { ...dump(own, limits), text: 'Object' };
}

function findOrigin(errors: readonly ReportedError[]): ErrorReport['origin'] {
  for (const error of errors) {
    const frame = error.frames.find((one) => one.kind === 'app');
    if (frame !== undefined) return { error: error.label, frame: frame.index };
  }
  const outer = errors.at(-1);
  const frame = outer?.frames.find((one) => one.path !== undefined);
  return outer === undefined || frame === undefined ? undefined : { error: outer.label, frame: frame.index };
}
