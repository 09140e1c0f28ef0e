import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Command, CommandDefinition, CommandOptions, CommandRun } from '#command';
import type { ControllerClass, ControllerContext, ControllerTarget, ReadsParameters } from '#controller';
import type { EventType, Listener, ListenerOptions } from '#events';
import type { HttpRequest, HttpResponse, RequestUser, PeerInit } from '#http';
import type { Kernel } from '#kernel';
import type { Logger } from '#log';
import type { Profiler } from '#profiler';
import type { NodeRequestHandler } from '#web';
import type { MatchParametersOf, PathOption, RouteCollection, UrlOptions } from '#routing';
import type { Configuration } from '../configuration/configuration.js';
import type { Extension } from './extension.js';
import type { ForwardOptions } from './forward.js';
import type { AppRoute, RouteGroup, RouteOptions } from './route-attribute.js';

/** How a request is answered that came without a socket. */
export interface FetchInit extends RequestInit {
  /**
   * The other end of the connection that the request came over. Without it the request has no client address: rules for
   * addresses do not match it, and it is not shown the profiler.
   */
  readonly peer?: PeerInit;
  /** Aborted when the server that the request came to begins to stop: streams that have no end of their own end then. */
  readonly stopping?: AbortSignal;
}

/** A server that answers for an application. */
export interface RunningServer {
  /** Base URL, e.g. `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly port: number;
  /** Finishes the requests in flight and stops listening. */
  close(): Promise<void>;
}

/** A function that receives the context of a request; `params` has the type of the route's path and converters. */
export type Handler<
  Parameters = Readonly<Record<string, unknown>>,
  User extends RequestUser = RequestUser,
> = (context: ControllerContext<Parameters, User>) => unknown;

/** Declares a route whose method is in the name. */
export interface DeclareRoute<User extends RequestUser = RequestUser> {
  <const Path extends PathOption, const Options extends RouteOptions = NoOptions>(
    path: Path,
    controller: Handler<MatchParametersOf<Options & { readonly path: Path }>, User>,
    options?: Options & RouteOptions,
  ): App<User>;
  /** A class, one of its methods, or a function whose arguments are declared: on it, or by the options. */
  <
    const Path extends PathOption,
    Target extends ControllerTarget,
    const Options extends RouteOptions = NoOptions,
  >(
    path: Path,
    controller: Target & FitsPath<Target, Options & { readonly path: Path }>,
    options?: Options & RouteOptions,
  ): App<User>;
}

/** The same inside of a group, whose prefix the compiler does not see here. */
export interface DeclareGroupedRoute<User extends RequestUser = RequestUser> {
  <const Path extends PathOption, const Options extends RouteOptions = NoOptions>(
    path: Path,
    controller: Handler<MatchParametersOf<Options & { readonly path: Path }>, User>,
    options?: Options & RouteOptions,
  ): GroupApp<User>;
  (path: PathOption, controller: ControllerTarget, options?: RouteOptions): GroupApp<User>;
}

/** The application inside of a group. */
export type GroupApp<User extends RequestUser = RequestUser> = Omit<App<User>, RouteMethod> &
  Readonly<Record<RouteMethod, DeclareGroupedRoute<User>>>;

type RouteMethod = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'any';

/** What is wrong with a controller that reads a parameter which its literal path does not have; unknown for nothing. */
type FitsPath<Target, Definition extends { readonly path: PathOption }> =
  string extends TextsOf<Definition['path']>
    ? unknown
    : Target extends ReadsParameters<infer Names>
      ? string extends Names
        ? unknown
        : MissingNames<Names, Definition> extends never
          ? unknown
          : { readonly error: `The path has no parameter "${MissingNames<Names, Definition>}".` }
      : unknown;
type TextsOf<Path extends PathOption> = Path extends string ? Path : Path[keyof Path];
/** `_locale` and its like come from other options too. */
type MissingNames<Names extends string, Definition extends { readonly path: PathOption }> = Exclude<
  Names,
  | keyof MatchParametersOf<Definition>
  | (Definition extends { readonly defaults: infer Defaults } ? keyof Defaults : never)
  | `_${string}`
>;

type NoOptions = Readonly<Record<never, never>>;

/** An application: routes and listeners in, responses out. `User` is the type of `context.user`. */
export interface App<User extends RequestUser = RequestUser> {
  readonly configuration: Configuration;
  readonly routes: RouteCollection;
  readonly kernel: Kernel;
  readonly log: Logger;
  /** Undefined where nothing is recorded. */
  readonly profiler: Profiler | undefined;
  readonly get: DeclareRoute<User>;
  readonly post: DeclareRoute<User>;
  readonly put: DeclareRoute<User>;
  readonly patch: DeclareRoute<User>;
  readonly delete: DeclareRoute<User>;
  /** Any method, unless the options name some. */
  readonly any: DeclareRoute<User>;
  /** Adds a route declared as data. */
  route(route: AppRoute): App<User>;
  /**
   * Hands a path and all below it to a handler of `node:http`, such as an application of Express or Connect, which sees the
   * rest of the path. The request passes firewall, access rules and the record like any other; where the handler calls
   * `next()` the response is 404, and what it fails with is an error of the request. See `fromNodeHandler` of `lookback/web`.
   */
  mount(path: string, handler: NodeRequestHandler): App<User>;
  /** Adds the routes that controller classes declare by decorators or `annotate`. */
  register(...controllers: readonly ControllerClass[]): App<User>;
  /** Routes that share a prefix, host, requirements …: whatever `define` adds is put below it. */
  group(shared: RouteGroup, define: (app: GroupApp<User>) => void): App<User>;
  /** Adds an extension, whose routes are tried last. Throws `FRAMEWORK_EXTENSION_LATE` for collectors or panels. */
  use(extension: Extension): App<User>;
  /**
   * Adds a command: `lookback NAME` (or `lookback run NAME`) runs it with typed options and closes the application after it.
   * Throws `COMMAND_BAD_NAME`, and `FRAMEWORK_DUPLICATE_COMMAND` for a name that is taken.
   */
  command<const Options extends CommandOptions>(
    name: string,
    definition: CommandDefinition<Options>,
    run: CommandRun<Options>,
  ): App<User>;
  /** Every command of the application and its extensions. */
  commands(): Promise<readonly Command[]>;
  /** Listens to a stage of the lifecycle; the returned function stops it. */
  on<Event>(event: EventType<Event>, listener: Listener<Event>, options?: ListenerOptions): () => void;
  /** URL of a named route: a path, or the form that the options select. */
  url(name: string, parameters?: Readonly<Record<string, unknown>>, options?: UrlOptions): string;
  /** Answers without a socket. Never throws. */
  handle(request: HttpRequest): HttpResponse | Promise<HttpResponse>;
  /**
   * Answers a web `Request` (or a path below http://localhost) with a web `Response`, its record included. Its client
   * has no address, unless `init.peer` is the remote end of its socket.
   */
  fetch(request: Request | string, init?: FetchInit): Promise<Response>;
  /** Sends a request to the application itself on behalf of another; every check runs again (see `ForwardOptions`). */
  forward(parent: HttpRequest, target: string, options?: ForwardOptions): Promise<HttpResponse>;
  /**
   * Answers an `upgrade` event of another server if a route of this application accepts upgrades at that address;
   * otherwise leaves the connection alone and returns false. See `attachUpgrade` of `lookback/attach`.
   */
  upgrade(message: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** Serves at the configuration's address. Throws a coded error if it cannot (busy port, unreadable certificate). */
  listen(options?: { readonly host?: string; readonly port?: number }): Promise<RunningServer>;
  /** Ends what the application began: the server, the records still to be written. */
  close(): Promise<void>;
}
