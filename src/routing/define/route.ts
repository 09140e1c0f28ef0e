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
  /** The request's port, if it is not the scheme's default. Only generated URLs use it. */
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
  /** The variable's requirement if the definition has none. */
  readonly requirement?: string;
  /** Text of the (decoded) path to value; `undefined` means that the path does not match after all. */
  parse(text: string): Value | undefined;
  /** Value to text, for URLs. */
  render(value: Value): string;
}

/** One route of a collection: checked, frozen, complete. */
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

/** The answer to "which route matches this request?". */
export type MatchResult =
  | { readonly kind: 'match'; readonly route: Route; readonly parameters: RouteParameters }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'method-not-allowed'; readonly allow: readonly string[] }
  | RouteRedirect;

/** GET or HEAD only: the route would match the request at `path` (not encoded), under `scheme` if it is set. */
export interface RouteRedirect {
  readonly kind: 'redirect';
  readonly route: Route;
  /** Decoded like the requested path. Encode with `encodePath` and append the query as it was sent. */
  readonly path: string;
  readonly scheme?: string;
  readonly status: 301;
  readonly reason: 'slash' | 'scheme';
}

/** One path, or a path for each locale. */
export type PathOption = string | Readonly<Record<string, string>>;

/** Options that routes and groups of routes share. */
export interface SharedRouteOptions {
  /** Upper or lower case; one or several. Left out: every method. HEAD is answered by GET. */
  readonly methods?: string | readonly string[];
  /** May hold variables, e.g. `{shop}.example.org`. */
  readonly host?: string;
  readonly schemes?: string | readonly string[];
  /** Values of variables that may be left out, and parameters that every match carries. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Regular expressions (without anchors) by variable. */
  readonly requirements?: Readonly<Record<string, string | RegExp>>;
  /** Converters by variable: text of the path to value and back. */
  readonly converters?: Readonly<Record<string, Converter>>;
  readonly condition?: RouteCondition;
  /** Higher is tried earlier. Default 0. */
  readonly priority?: number;
  /** The controller promises not to use the session. */
  readonly stateless?: boolean;
  /** Becomes the default of `_locale`. */
  readonly locale?: string;
  /** Becomes the default of `_format`. */
  readonly format?: string;
  /** Free for the application; routing only hands it on. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** One named route, as data. */
export interface RouteDefinition extends SharedRouteOptions {
  /** Default: derived from methods and path, e.g. `get_blog_slug`. */
  readonly name?: string;
  readonly path: PathOption;
  /** The controller. Routing never looks into it. */
  readonly target?: unknown;
}

/** What all routes of a group share: put before their paths and names, and merged below their own options. */
export interface GroupDefinition extends SharedRouteOptions {
  readonly path?: PathOption;
  /** Put before each name. */
  readonly name?: string;
}

/** A second name of a route, for generating URLs. */
export interface AliasOptions {
  /** True, or a text in which `%alias%` is the alias: using it is reported. */
  readonly deprecated?: boolean | string;
}
