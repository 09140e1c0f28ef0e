import type { Pattern } from '../pattern/parse-pattern.js';

/** What routing must know of a request. It is data; `request` is only handed on to conditions. */
export interface MatchContext {
  /** Upper case, as sent. */
  readonly method: string;
  /** Decoded once (see `decodePath`), without query. */
  readonly path: string;
  /** Without port. Default `localhost`. */
  readonly host?: string;
  /** Default `http`. */
  readonly scheme?: string;
  /** The request's port, where it is not the scheme's default. Only generated URLs use it. */
  readonly port?: number;
  /** Whatever conditions look at. */
  readonly request?: unknown;
}

/** Variables of path and host over the route's defaults. Has no prototype, so `__proto__` is a name like any other. */
export type RouteParameters = Readonly<Record<string, unknown>>;

/** Decides whether a route whose path and host fit may be taken. Must answer the same for the same arguments. */
export type RouteCondition = (
  context: MatchContext,
  request: unknown,
  parameters: RouteParameters,
) => boolean;

/** Turns the text of a variable into a value and back. */
export interface Converter<Value = unknown> {
  /** The variable's requirement where the definition gives none. */
  readonly requirement?: string;
  /** Text of the (decoded) path to value; `undefined` means that the path does not match after all. */
  parse(text: string): Value | undefined;
  /** Value to text, for URLs. */
  render(value: Value): string;
}

/** One route as it stands in a collection: checked, frozen, with nothing left to fill in. */
export interface Route {
  /** Name by which it is known. Routes made from one localised definition share it. */
  readonly name: string;
  /** Unique in its collection: the name, and `name.locale` for a route of a localised definition. */
  readonly key: string;
  /** Locale of this path, for localised routes; it is also the default of `_locale`. */
  readonly locale: string | undefined;
  /** The path as written, e.g. `/blog/{slug}`. */
  readonly path: string;
  /** Upper case; empty means every method. */
  readonly methods: readonly string[];
  /** The host as written; undefined means every host. */
  readonly host: string | undefined;
  /** Lower case; empty means every scheme. */
  readonly schemes: readonly string[];
  readonly defaults: RouteParameters;
  /** Regular expressions by variable, unanchored, those of the path included. */
  readonly requirements: Readonly<Record<string, string>>;
  readonly converters: Readonly<Record<string, Converter>>;
  /** Field names by variable, of variables written `{name:field}`. */
  readonly mapping: Readonly<Record<string, string>>;
  readonly condition: RouteCondition | undefined;
  /** Higher is tried earlier; routes of equal priority are tried in the order of their definitions. */
  readonly priority: number;
  readonly stateless: boolean;
  /** The controller, or whatever the application answers with. Routing never looks into it. */
  readonly target: unknown;
  /** Free for the application. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Names of the variables of host and path, in that order. */
  readonly variables: readonly string[];
  readonly pattern: Pattern;
  readonly hostPattern: Pattern | undefined;
}

/** The answer to "which route takes this request?". */
export type MatchResult =
  | { readonly kind: 'match'; readonly route: Route; readonly parameters: RouteParameters }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'method-not-allowed'; readonly allow: readonly string[] }
  | RouteRedirect;

/** GET or HEAD only: the route would take the request at `path` (not encoded), under `scheme` where one is given. */
export interface RouteRedirect {
  readonly kind: 'redirect';
  readonly route: Route;
  /** Decoded like the path that was asked for. Encode with `encodePath` and append the query as it was sent. */
  readonly path: string;
  readonly scheme?: string;
  readonly status: 301;
  readonly reason: 'slash' | 'scheme';
}
