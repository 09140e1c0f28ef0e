import type { Converter, RouteCondition } from './route.js';

/** One path, or a path for each locale. */
export type PathOption = string | Readonly<Record<string, string>>;

/** What a route and a group of routes can both say. */
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
  /** Left out: made from methods and path, e.g. `get_blog_slug`. */
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
  /** True, or a text in which `%alias%` stands for the alias: using it is reported. */
  readonly deprecated?: boolean | string;
}
