import { type HttpRequest, type RequestUser, requestLocale, requestRoute, requestUser } from '#http';
import type { Logger } from '#log';

/** What the application lends to every context. */
export interface ContextServices {
  readonly log: Logger;
  /** URL of a named route for this request (see `generateUrl` of the routing house). */
  generateUrl(request: HttpRequest, name: string, parameters: Readonly<Record<string, unknown>>): string;
}

const noParameters: Readonly<Record<string, never>> = Object.freeze(
  Object.create(null) as Record<string, never>, // a bare object holds nothing
);

/** Parts of a request as the schemas of a controller made them. */
export interface CheckedParts {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly headers?: unknown;
  readonly body?: unknown;
}

/**
 * The one argument of a controller that declares none: the request and what is known about it.
 * `Parameters` is the type of the route's parameters, `User` that of the application's users.
 */
export class ControllerContext<
  Parameters = Readonly<Record<string, unknown>>,
  User extends RequestUser = RequestUser,
> {
  readonly request: HttpRequest;
  readonly #services: ContextServices;

  constructor(request: HttpRequest, services: ContextServices) {
    this.request = request;
    this.#services = services;
  }

  /** The same context with the outputs of schemas. */
  static checked(plain: ControllerContext, parts: CheckedParts): ControllerContext<unknown> {
    return new CheckedContext(plain.request, plain.#services, parts);
  }

  /** The route's parameters. */
  get params(): Parameters {
    return (this.request.scope.get(requestRoute)?.parameters ?? noParameters) as Parameters; // the route's pattern is the proof
  }

  get query(): URLSearchParams {
    return this.request.query;
  }

  /** The locale chosen for this request (BCP 47). */
  get locale(): string {
    return this.request.scope.get(requestLocale) ?? 'en';
  }

  /** The user of the request; undefined if anonymous. */
  get user(): User | undefined {
    return this.request.scope.get(requestUser)?.() as User | undefined; // the application's provider made it
  }

  /** A logger whose records are filed under this request. */
  get log(): Logger {
    return this.#services.log;
  }

  /**
   * Makes the URL of a named route: a path unless the route needs another host or scheme. Bound, so that it may be
   * taken out of the context: `({ url }) => url('home')`.
   */
  get url(): (name: string, parameters?: Readonly<Record<string, unknown>>) => string {
    return (name, parameters = noParameters) => this.#services.generateUrl(this.request, name, parameters);
  }
}

/** The context of a controller with schemas. What has no schema is as it was. */
class CheckedContext extends ControllerContext<unknown> {
  readonly headers: unknown;
  readonly body: unknown;
  readonly #parts: CheckedParts;

  constructor(request: HttpRequest, services: ContextServices, parts: CheckedParts) {
    super(request, services);
    this.#parts = parts;
    this.headers = parts.headers;
    this.body = parts.body;
  }

  override get params(): unknown {
    return 'params' in this.#parts ? this.#parts.params : super.params;
  }

  override get query(): URLSearchParams {
    return 'query' in this.#parts ? (this.#parts.query as URLSearchParams) : super.query; // typed by `SchemaContext`
  }
}
