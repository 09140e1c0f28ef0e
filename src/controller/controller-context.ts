import { type HttpRequest, type RequestUser, requestLocale, requestRoute, requestUser } from '#http';
import type { Logger } from '#log';
import type { GenerateUrl } from '#routing';

/** Services of the application that every context uses. */
export interface ContextServices {
  readonly log: Logger;
  /** Generates the URL of a named route for this request (see `generateUrl` of the routing house). */
  generateUrl(request: HttpRequest, name: string, parameters: Readonly<Record<string, unknown>>): string;
}

const noParameters: Readonly<Record<string, never>> = Object.freeze(
  Object.create(null) as Record<string, never>, // an object without a prototype is empty
);

/** The outputs of a controller's schemas for the parts of a request. */
export interface CheckedParts {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly headers?: unknown;
  readonly body?: unknown;
}

/**
 * The argument of a controller that declares no arguments: the request, with its route parameters, user, locale and log.
 * `Parameters` is the type of the route parameters, `User` the type of the application's users.
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

  /** Creates a context like `plain`, with the outputs of schemas. */
  static checked(plain: ControllerContext, parts: CheckedParts): ControllerContext<unknown> {
    return new CheckedContext(plain.request, plain.#services, parts);
  }

  /** The route parameters. */
  get params(): Parameters {
    return (this.request.scope.get(requestRoute)?.parameters ?? noParameters) as Parameters; // the type is derived from the pattern of the route
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
    return this.request.scope.get(requestUser)?.() as User | undefined; // created by the provider of the application
  }

  /** Logger of the application; its records belong to this request. */
  get log(): Logger {
    return this.#services.log;
  }

  /**
   * Generates the URL of a named route: a path, unless the route needs another host or scheme. It is a bound function, so
   * that it can be destructured from the context: `({ url }) => url('home')`.
   */
  get url(): GenerateUrl {
    return (name, parameters = noParameters) => this.#services.generateUrl(this.request, name, parameters);
  }
}

/** The context of a controller with schemas. Parts without a schema are unchanged. */
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
