import { safely } from '#core/coded-error';
import { mountPath } from '../watch/note-facts.js';

/** The form in which an Express router layer keeps its declared path; it depends on the version. */
export interface PathLayer {
  /** Since `router` 2.3: the declared path. */
  readonly rawPath?: unknown;
  /** Since `router` 2: one function per declared path. */
  readonly matchers?: readonly Matcher[];
  /** Express 4: one expression compiled from all paths; an expression given by the application stays as it is. */
  readonly regexp?: unknown;
  readonly keys?: readonly { readonly name: unknown }[];
}

type Matcher = (path: string) => Matched | false;
interface Matched {
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Where a router is mounted: the path in this request, and its pattern. */
interface Mount {
  readonly base: string;
  readonly pattern: string;
}

const root: Mount = { base: '', pattern: '' };
/** Each request's current mount. */
const mounts = new WeakMap<object, Mount>();

/**
 * Call when a request enters a layer that may be a mounted router. The returned function marks that it leaves the
 * layer.
 */
export function enterMount(request: object & { readonly baseUrl?: unknown }, layer: PathLayer): () => void {
  const outer = mounts.get(request) ?? root;
  const base = mountPath(request.baseUrl);
  if (base === outer.base) return () => void mounts.set(request, outer);
  const own = base.startsWith(outer.base) ? base.slice(outer.base.length) : undefined;
  // An application that sets its own `baseUrl` is taken at its word.
  const pattern = own === undefined ? base : outer.pattern + patternOfLayer(layer, own);
  mounts.set(request, { base, pattern });
  return () => void mounts.set(request, outer);
}

/** Returns the pattern of the path where the router handling a request is mounted. */
export function mountPatternOf(request: object & { readonly baseUrl?: unknown }): string {
  const base = mountPath(request.baseUrl);
  const mount = mounts.get(request) ?? root;
  if (base === mount.base) return mount.pattern;
  return base.startsWith(mount.base) ? mount.pattern + base.slice(mount.base.length) : base;
}

/** Patterns by matched path with parameters cut out: usually one entry per path that a layer declares. Bounded. */
const maxPatterns = 50;
const patterns = new WeakMap<PathLayer, Map<string, string>>();

/** Returns the pattern declared by a layer that matched `path`; the path itself if the pattern is unknown. */
export function patternOfLayer(layer: PathLayer, path: string): string {
  const { rawPath, matchers = [], regexp } = layer;
  if (rawPath !== undefined && !Array.isArray(rawPath)) return shown(rawPath);
  const find = (): string | undefined => {
    if (regexp instanceof RegExp) return patternOfExpression(regexp, layer, path);
    const at = matchers.findIndex((match) => matches(match, path) !== undefined);
    const declared: unknown = Array.isArray(rawPath) ? rawPath[at] : rawPath;
    if (declared !== undefined) return shown(declared);
    const matcher = matchers[at];
    return matcher === undefined ? undefined : learnPattern(layer, matcher, path);
  };
  return safely(find, undefined) ?? path;
}

/** Returns a layer's mount paths; undefined if they are not known before a request. */
export function declaredPathsOf({ rawPath, regexp, keys = [] }: PathLayer): readonly string[] | undefined {
  if (rawPath !== undefined) return [rawPath].flat().map(shown);
  if (!(regexp instanceof RegExp)) return undefined;
  if (Reflect.get(regexp, 'fast_slash') === true) return ['']; // set by Express 4 for a router without a path
  const { source } = regexp;
  if (!source.startsWith('^') || !source.endsWith(mountEnd)) return undefined;
  const names = keys.map(({ name }) => nameOf(name));
  let at = 0;
  const path = source
    .slice(1, -mountEnd.length)
    .replaceAll('(?:\\/([^/]+?))', () => `/${names[at++] ?? ''}`)
    .replaceAll(/\\([/.-])/g, '$1');
  return at === names.length && !/[\\^$*+?()[\]{}|]/.test(path) ? [path] : undefined;
}

function shown(path: unknown): string {
  if (typeof path !== 'string') return String(path); // a regular expression
  const inner = path.replace(/\/$/, '');
  return inner === '' || inner.startsWith('/') ? inner : `/${inner}`;
}

/** Suffix that Express 4 adds to a mount path's expression. */
const mountEnd = '\\/?(?=\\/|$)';

/** Replaces the text matched by parameter groups with the parameters' names. */
function patternOfExpression(regexp: RegExp, layer: PathLayer, path: string): string | undefined {
  const { keys = [] } = layer;
  if (!regexp.source.endsWith(mountEnd)) return String(regexp);
  const found = new RegExp(regexp.source, `${regexp.flags}d`).exec(path);
  const { indices } = found as { indices?: readonly (readonly [number, number] | undefined)[] }; // present because of the `d` flag
  if (indices === undefined) return undefined;
  let [pattern, end] = ['', 0];
  for (const [at, { name }] of keys.entries()) {
    const [from, to] = indices[at + 1] ?? [0, 0];
    if (from < end || to === from) continue; // belongs to another path in the list, or lies inside another group
    pattern += path.slice(end, from) + nameOf(name);
    end = to;
  }
  return regexp.ignoreCase ? firstSpelling(layer, pattern + path.slice(end)) : pattern + path.slice(end);
}

/** Returns the first spelling seen: without case sensitivity, `/Users/7` and `/users/8` belong to one route. */
function firstSpelling(layer: PathLayer, pattern: string): string {
  return remember(layer, pattern.toLowerCase(), () => pattern);
}

function remember(layer: PathLayer, key: string, make: () => string): string {
  let known = patterns.get(layer);
  if (known === undefined) patterns.set(layer, (known = new Map()));
  const former = known.get(key);
  if (former !== undefined) return former;
  if (known.size >= maxPatterns) known.clear();
  const pattern = make();
  known.set(key, pattern);
  return pattern;
}

function nameOf(name: unknown): string {
  return typeof name === 'number' || /^\d/.test(String(name)) ? '*' : `:${String(name)}`;
}

function matches(match: Matcher, path: string): Matched | undefined {
  const found = safely(() => match(path), false);
  return found === false || typeof found.path !== 'string' || found.path.replace(/\/$/, '') !== path
    ? undefined
    : found;
}

/**
 * Infers the pattern behind a match function: a part of the path is a parameter if the path also matches with another
 * text in its place, which then becomes the parameter's value.
 */
function learnPattern(layer: PathLayer, match: Matcher, path: string): string | undefined {
  const found = matches(match, path);
  if (found === undefined) return undefined;
  const { params } = found;
  const isVaried = Object.keys(params).length > 0;
  return remember(layer, isVaried ? cutOut(path, params) : path, () =>
    isVaried ? replaceValues(match, path, params) : varyPath(match, path),
  );
}

function cutOut(path: string, params: Matched['params']): string {
  let rest = path.toLowerCase();
  for (const value of Object.values(params)) rest = rest.replace(textOf(value).toLowerCase(), '\0');
  return rest;
}

/** Returns a path parameter's text; wildcards are lists of segments. */
function textOf(value: unknown): string {
  return [value]
    .flat()
    .map((part) => encodeURI(String(part)))
    .join('/');
}

/** Texts tried as a value: letters, or digits for expressions that require them. */
const probes = ['lookback', '7042069'];

function replaceValues(match: Matcher, path: string, params: Matched['params']): string {
  let [pattern, rest] = ['', path];
  for (const [name, value] of Object.entries(params)) {
    const at = placeOf(match, { path, from: path.length - rest.length, name, value });
    const text = textOf(value);
    if (at === -1 || text === '') continue;
    const before = at - (path.length - rest.length);
    pattern += rest.slice(0, before) + (Array.isArray(value) ? `*${name}` : nameOf(name));
    rest = rest.slice(before + text.length);
  }
  return pattern + rest;
}

interface Search {
  readonly path: string;
  readonly from: number;
  readonly name: string;
  readonly value: unknown;
}

/** Returns where a value's text is in the path; −1 if it is missing. */
function placeOf(match: Matcher, { path, from, name, value }: Search): number {
  const text = textOf(value);
  const first = path.indexOf(text, from);
  for (let at = first, tries = 0; at !== -1 && tries < 10; at = path.indexOf(text, at + 1), tries++)
    for (const probe of probes) {
      const tried = matches(match, path.slice(0, at) + probe + path.slice(at + text.length));
      if (tried !== undefined && [tried.params[name]].flat().join('/') === probe) return at;
    }
  return first;
}

/** For matches without parameters: an expression without groups may match other segments too. */
function varyPath(match: Matcher, path: string): string {
  const segments = path.split('/');
  return segments
    .map((segment, at) => {
      const varies = probes.some((probe) => matches(match, segments.toSpliced(at, 1, probe).join('/')));
      return segment !== '' && varies ? '*' : segment;
    })
    .join('/');
}
