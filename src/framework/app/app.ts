import type { RunCommandOptions } from './recording/record-command.js';
import type { Command, CommandDefinition, CommandOptions, CommandRun } from '#core/command';
import type {
  Answers,
  ControllerClass,
  ControllerContext,
  ControllerTarget,
  ReadsParameters,
} from '#framework/controller';
import type { EventType, Listener, ListenerOptions, RegisteredListener } from '#core/events';
import type { HttpRequest, HttpResponse, RequestUser, PeerInit } from '#core/http';
import type { Kernel } from '#framework/kernel';
import type { Logger } from '#core/log';
import type { Profiler } from '#profiler';
import type {
  Flat,
  GenerateUrl,
  GroupParametersOf,
  MatchParametersOf,
  PathOption,
  RouteCollection,
  UrlOptions,
} from '#core/routing';
import type { Extension } from './app-options.js';
import type { Configuration } from './configuration/configuration.js';
import type { AppRoute, RouteGroup, RouteOptions } from './route-attribute.js';

export interface FetchInit extends RequestInit {
  /**
   * The remote end of the connection. If omitted, the request has no client address: address rules do not match it, and
   * the client cannot see the profiler.
   */
  readonly peer?: PeerInit;
  /** Aborted when the request's server begins to stop, which ends endless streams. */
  readonly stopping?: AbortSignal;
}

/** An application's running server. */
export interface RunningServer {
  /** Base URL, e.g. `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly port: number;
  /** Stops listening and finishes the requests in flight. */
  close(): Promise<void>;
}

/** A function that receives the request's context; the route's path determines the type of `params`. */
export type Handler<
  Parameters = Readonly<Record<string, unknown>>,
  User extends RequestUser = RequestUser,
  Result = unknown,
> = (context: ControllerContext<Parameters, User>) => Result;

/** Declares a route for its method. In a group, `Outer` are the group's parameters, and `Declared` its application. */
export interface DeclareRoute<
  User extends RequestUser = RequestUser,
  Outer = NoOptions,
  Declared = App<User>,
> {
  <const Path extends PathOption, const Options extends RouteOptions = NoOptions, Result = unknown>(
    path: Path,
    controller: Handler<Flat<Outer & MatchParametersOf<Options & { readonly path: Path }>>, User, Result> &
      Answers<Result>,
    options?: Options & RouteOptions,
  ): Declared;
  /**
   * Overload for a class, one of its methods, or a function with declared arguments (on the function or in the
   * options).
   */
  <
    const Path extends PathOption,
    Target extends ControllerTarget,
    const Options extends RouteOptions = NoOptions,
  >(
    path: Path,
    controller: Target & FitsPath<Target, Options & { readonly path: Path }, keyof Outer> & AnswersOf<Target>,
    options?: Options & RouteOptions,
  ): Declared;
}

/** The application inside a group. `Outer` are the parameters in its path and in the groups around it. */
export interface GroupApp<User extends RequestUser = RequestUser, Outer = NoOptions>
  extends
    Omit<App<User>, RouteMethod | 'group'>,
    Readonly<Record<RouteMethod, DeclareRoute<User, Outer, GroupApp<User, Outer>>>> {
  /** Adds routes to a group inside this one. */
  group<const Group extends RouteGroup>(
    shared: Group,
    define: (app: GroupApp<User, Flat<Outer & GroupParametersOf<Group>>>) => void,
  ): GroupApp<User, Outer>;
}

type RouteMethod = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'any';

type AnswersOf<Target> = Target extends (...args: never[]) => infer Result ? Answers<Result> : unknown;

/**
 * A type with an error if the controller reads a parameter that is missing from the literal path; otherwise `unknown`.
 */
type FitsPath<Target, Definition extends { readonly path: PathOption }, Outer> =
  string extends TextsOf<Definition['path']>
    ? unknown
    : Target extends ReadsParameters<infer Names>
      ? string extends Names
        ? unknown
        : MissingNames<Names, Definition, Outer> extends never
          ? unknown
          : { readonly error: `The path has no parameter "${MissingNames<Names, Definition, Outer>}".` }
      : unknown;
type TextsOf<Path extends PathOption> = Path extends string ? Path : Path[keyof Path];
/** The names missing from the path, except `_locale` and other special parameters, which options can set too. */
type MissingNames<Names extends string, Definition extends { readonly path: PathOption }, Outer> = Exclude<
  Names,
  | Outer
  | keyof MatchParametersOf<Definition>
  | (Definition extends { readonly defaults: infer Defaults } ? keyof Defaults : never)
  | `_${string}`
>;

type NoOptions = Readonly<Record<never, never>>;

/** An application: answers requests with its routes and listeners. `User` is the type of `context.user`. */
export interface App<User extends RequestUser = RequestUser> {
  readonly configuration: Configuration;
  readonly routes: RouteCollection;
  readonly kernel: Kernel;
  readonly log: Logger;
  /** The extensions passed to `createApp`, the built-in ones, and those added by `use`. */
  readonly extensions: readonly Extension[];
  /** Undefined if nothing is recorded. */
  readonly profiler: Profiler | undefined;
  readonly get: DeclareRoute<User>;
  readonly post: DeclareRoute<User>;
  readonly put: DeclareRoute<User>;
  readonly patch: DeclareRoute<User>;
  readonly delete: DeclareRoute<User>;
  /** Declares a route for any method, or for the `methods` in its options. */
  readonly any: DeclareRoute<User>;
  /** Adds a route declared as data. */
  route(route: AppRoute): App<User>;
  /** Adds the routes that controller classes declare with decorators or `annotate`. */
  register(...controllers: readonly ControllerClass[]): App<User>;
  /** Adds routes that share a prefix, host, requirements …: `define` adds them to the given application. */
  group<const Group extends RouteGroup>(
    shared: Group,
    define: (app: GroupApp<User, GroupParametersOf<Group>>) => void,
  ): App<User>;
  /**
   * Adds an extension; its routes are tried last. Throws `FRAMEWORK_EXTENSION_LATE` if it has sections, or if it has
   * `started` and the application has already started.
   */
  use(extension: Extension): App<User>;
  /**
   * Adds a command: `lookback NAME` (or `lookback run NAME`) runs it with typed options and then closes the
   * application. Throws `COMMAND_BAD_NAME`, or `FRAMEWORK_DUPLICATE_COMMAND` if a command with this name exists.
   */
  command<const Options extends CommandOptions>(
    name: string,
    definition: CommandDefinition<Options>,
    run: CommandRun<Options>,
  ): App<User>;
  /** Returns all commands from the application and its extensions. */
  commands(): Promise<readonly Command[]>;
  /**
   * Runs a command and returns its exit code, like `lookback NAME`: with its own record (method `CLI`), which has its
   * arguments, output, queries, log and exception. Rethrows the command's errors; throws `COMMAND_BAD_ARGUMENTS`.
   */
  runCommand(command: Command, args?: readonly string[], options?: RunCommandOptions): Promise<number>;
  /** Adds a listener for a lifecycle event; the returned function removes it. */
  on<Event>(event: EventType<Event>, listener: Listener<Event>, options?: ListenerOptions): () => void;
  /**
   * Lists the listeners of all events, each in calling order; their source locations are known if something is
   * recorded.
   */
  listeners(): readonly RegisteredListener[];
  /** Generates a named route's URL: a path, or the form selected by the options. */
  readonly url: GenerateUrl<[options?: UrlOptions]>;
  /** Answers a request without a socket. Never throws or rejects, except `OPTIONS_BAD_VALUE` for another value. */
  handle(request: HttpRequest): HttpResponse | Promise<HttpResponse>;
  /**
   * Answers a web `Request` (or a path below http://localhost) with a web `Response`, and records it. The client has no
   * address unless `init.peer` is given. Rejects only for wrong arguments, with a coded error.
   */
  fetch(request: Request | string, init?: FetchInit): Promise<Response>;
  /**
   * Starts a server at the configured address. Throws a coded error if that fails (busy port, unreadable certificate).
   */
  listen(options?: { readonly host?: string; readonly port?: number }): Promise<RunningServer>;
  /**
   * Calls `started` of all extensions, once: for programs that pass requests to `fetch`. `listen` calls it
   * automatically.
   */
  start(): Promise<void>;
  /** Stops the server, writes the remaining records, and closes the extensions. */
  close(): Promise<void>;
}
