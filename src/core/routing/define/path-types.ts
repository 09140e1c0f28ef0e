import type { GroupDefinition, PathOption, RouteDefinition } from './route.js';

/**
 * A path's variables as types, `[name, kind]`; `kind` says whether the variable may be omitted. Same syntax as
 * `parsePattern`.
 */
type VariablesOf<Path extends string> = Path extends `${string}{${infer Rest}`
  ? ReadVariable<Rest, ''>
  : never;

/** Reads a variable; `Text` begins inside its braces. Continues after a `}` that belongs to a requirement. */
type ReadVariable<Text extends string, Before extends string> = Text extends `${infer Head}}${infer Tail}`
  ? IsWhole<`${Before}${Head}`> extends true
    ? Describe<`${Before}${Head}`> | VariablesOf<Tail>
    : ReadVariable<Tail, `${Before}${Head}}`>
  : never;

type IsWhole<Text extends string> = Text extends `${string}<${infer After}`
  ? After extends `${string}>` | `${string}>?${string}`
    ? true
    : false
  : true;

type Describe<Text extends string> = Text extends `!${infer Rest}`
  ? [NameOf<Rest>, Rest extends WithDefault ? 'optional' : 'required']
  : [
      NameOf<Text>,
      Text extends `${string}?` ? 'nullable' : Text extends WithDefault ? 'optional' : 'required',
    ];

type WithDefault = `${string}?${string}`;

type NameOf<Text extends string> = Text extends `${infer Name}<${string}`
  ? NameOf<Name>
  : Text extends `${infer Name}?${string}`
    ? Name
    : Text;

type UrlValue = string | number | bigint | boolean;

type TextOf<Path> = Path extends string
  ? Path
  : Path extends Readonly<Record<string, string>>
    ? Path[keyof Path]
    : never;
type AllVariables<Definition extends RouteDefinition> =
  | VariablesOf<TextOf<Definition['path']>>
  | (Definition['host'] extends string ? VariablesOf<Definition['host']> : never);

type DefaultNames<Definition extends RouteDefinition> = Definition extends {
  readonly defaults: infer Defaults;
}
  ? keyof Defaults
  : never;

/** The same type, expanded, so that editors and messages show its fields. */
export type Flat<Type> = { [Key in keyof Type]: Type[Key] };

/** A match's parameters: every variable as text. */
export type MatchParametersOf<Definition extends RouteDefinition> = Flat<{
  readonly [Variable in AllVariables<Definition> as Variable[0]]:
    | string
    | (Variable[1] extends 'nullable' ? null : never);
}>;

/** The parameters that a group adds to its routes' matches. */
export type GroupParametersOf<Group extends GroupDefinition> = MatchParametersOf<
  Group & { readonly path: Group['path'] extends PathOption ? Group['path'] : '' }
>;

/** The parameters for a definition's URL: required and optional variables. */
export type UrlParametersOf<Definition extends RouteDefinition> = Flat<
  {
    readonly [
      Variable in AllVariables<Definition> as Variable[1] extends 'required'
        ? Exclude<Variable[0], DefaultNames<Definition>>
        : never
    ]: UrlValue;
  } & {
    readonly [
      Variable in AllVariables<Definition> as Variable[1] extends 'required'
        ? Extract<Variable[0], DefaultNames<Definition>>
        : Variable[0]
    ]?: UrlValue | null | undefined;
  }
>;

/** Values that every URL accepts in addition to its variables. */
interface UrlExtras {
  readonly _query?: Readonly<Record<string, unknown>>;
  readonly _fragment?: string;
  readonly _locale?: string;
}

export type RouteTable<Definitions extends readonly RouteDefinition[]> = {
  readonly [Definition in Definitions[number] as Definition['name'] & string]: Definition;
};

/** A URL's arguments after its name; optional if no variable is required. */
export type UrlArguments<Definition> = Definition extends RouteDefinition
  ? Record<never, never> extends UrlParametersOf<Definition>
    ? [parameters?: UrlParametersOf<Definition> & UrlExtras]
    : [parameters: UrlParametersOf<Definition> & UrlExtras]
  : never;

/**
 * Names the application's routes for the compiler. If it is augmented with the type of their definitions, the `url`
 * functions of the application and of the controllers' context accept only their names and parameters: `declare module
 * 'lookback/routing' { interface RegisteredRoutes { definitions: typeof definitions } }`.
 */
export interface RegisteredRoutes {}

/** Generates a route's URL by its name; the compiler checks both if the application has registered its routes. */
export type GenerateUrl<Options extends readonly unknown[] = []> = RegisteredRoutes extends {
  readonly definitions: infer Definitions extends readonly RouteDefinition[];
}
  ? <Name extends keyof RouteTable<Definitions> & string>(
      name: Name,
      ...parameters: [...UrlArguments<RouteTable<Definitions>[Name]>, ...Options]
    ) => string
  : (name: string, parameters?: Readonly<Record<string, unknown>>, ...options: Options) => string;
