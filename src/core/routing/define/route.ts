import {
  anObject,
  anything,
  callable,
  either,
  listOf,
  number,
  type OptionsSchema,
  type OptionType,
  optionsSchema,
  type OptionTypes,
  namesTo,
  regularExpression,
  required,
  text,
} from '#core/options';
import type { Pattern } from '../pattern/parse-pattern.js';

/** The facts about a request that routing needs. Plain data; `request` is only passed on to conditions. */
export interface MatchContext {
  /** Upper case, as sent. */
  readonly method: string;
  /** Percent-decoded once (see `decodePath`), without query. */
  readonly path: string;
  /** Without port. Default `localhost`. */
  readonly host?: string;
  /** Passed to conditions. */
  readonly request?: unknown;
}

/**
 * Variables of path and host, and the route's defaults for all others. Has no prototype, so `__proto__` is an ordinary
 * name.
 */
export type RouteParameters = Readonly<Record<string, unknown>>;

/** Decides whether a route with matching path and host may be used. Must return the same result for the same arguments. */
export type RouteCondition = (
  context: MatchContext,
  request: unknown,
  parameters: RouteParameters,
) => boolean;

/** One route in a collection: validated, complete and frozen. */
export interface Route {
  /** Name of the route. Routes from one localised definition share it. */
  readonly name: string;
  /** Unique in its collection: the name, and `name.locale` for a route in a localised definition. */
  readonly key: string;
  /** This path's locale, for localised routes; it is also the default of `_locale`. */
  readonly locale: string | undefined;
  /** The path as written, e.g. `/blog/{slug}`. */
  readonly path: string;
  /** Upper case; empty means every method. */
  readonly methods: readonly string[];
  /** The host as written; undefined means every host. */
  readonly host: string | undefined;
  readonly defaults: RouteParameters;
  /** Regular expressions by variable, without anchors, including those in the path. */
  readonly requirements: Readonly<Record<string, string>>;
  readonly condition: RouteCondition | undefined;
  /** Higher is tried earlier; routes with equal priority are tried in definition order. */
  readonly priority: number;
  /** The controller, or another value that the application uses to answer. Opaque to routing. */
  readonly target: unknown;
  /** Names of the variables in host and path, in that order. */
  readonly variables: readonly string[];
  readonly pattern: Pattern;
  readonly hostPattern: Pattern | undefined;
}

/** The result of matching a request. */
export type MatchResult =
  | { readonly kind: 'match'; readonly route: Route; readonly parameters: RouteParameters }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'method-not-allowed'; readonly allow: readonly string[] }
  | RouteRedirect;

/** Only for GET and HEAD: the route would match the request at `path` (not encoded), with a trailing slash or without it. */
export interface RouteRedirect {
  readonly kind: 'redirect';
  readonly route: Route;
  /** Decoded like the requested path. Encode it with `encodePath`, and append the query as sent. */
  readonly path: string;
}

/** One path, or a path for each locale. */
export type PathOption = string | Readonly<Record<string, string>>;

/** Options that routes and groups of routes share. */
export interface SharedRouteOptions {
  /** One or several methods, in upper or lower case. Default: every method. HEAD is answered by GET. */
  readonly methods?: string | readonly string[];
  /** May contain variables, e.g. `{shop}.example.org`. */
  readonly host?: string;
  /** Values for variables that may be omitted, and additional parameters in every match. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Regular expressions (without anchors) by variable. */
  readonly requirements?: Readonly<Record<string, string | RegExp>>;
  readonly condition?: RouteCondition;
  /** Higher is tried earlier. Default 0. */
  readonly priority?: number;
}

/** The option types shared by routes and groups. */
export const sharedRouteTypes: OptionTypes<SharedRouteOptions> = {
  methods: either(text, listOf(text)),
  host: text,
  defaults: anObject(),
  requirements: namesTo(either(text, regularExpression)),
  condition: callable(),
  priority: number(),
};
/** The type of a path, or of one path per locale. */
export const routePath: OptionType<PathOption> = either(text, namesTo(text));

/** One named route, as data. */
export interface RouteDefinition extends SharedRouteOptions {
  /** Default: derived from methods and path, e.g. `get_blog_slug`. */
  readonly name?: string;
  readonly path: PathOption;
  /** The controller. Opaque to routing. */
  readonly target?: unknown;
}

export const routeSchema: OptionsSchema<RouteDefinition> = optionsSchema<RouteDefinition>({
  ...sharedRouteTypes,
  name: text,
  path: required(routePath),
  target: anything(),
});

/** Options shared by a group's routes. Path and name are prefixes; a route overrides all other options. */
export interface GroupDefinition extends SharedRouteOptions {
  readonly path?: PathOption;
  readonly name?: string;
}

export const groupSchema: OptionsSchema<GroupDefinition> = optionsSchema<GroupDefinition>({
  ...sharedRouteTypes,
  path: routePath,
  name: text,
});

/** An empty null-prototype object, shared by routes. */
export const emptyRecord: Readonly<Record<string, never>> = Object.freeze(
  Object.create(null) as Record<string, never>, // a new object without a prototype
);

/** Creates a frozen null-prototype object, in which no key has a special meaning. */
export function createRecord<Value>(
  entries: readonly (readonly [string, Value])[],
): Readonly<Record<string, Value>> {
  if (entries.length === 0) return emptyRecord;
  const result = Object.create(null) as Record<string, Value>; // a new object without a prototype
  for (const [key, value] of entries) result[key] = value;
  return Object.freeze(result);
}
