import { type HttpRequest, type RequestUser, requestLocale, requestRoute, requestUser } from '#core/http';
import type { Logger } from '#core/log';
import type { GenerateUrl, UrlOptions } from '#core/routing';

/** Application services that every context uses. */
export interface ContextServices {
  readonly log: Logger;
  /** Generates a named route's URL for this request (see `generateUrl` in `#core/routing`). */
  generateUrl(request: HttpRequest, url: RequestedUrl): string;
}

/** What the application passed to a context's `url()`; JavaScript may pass anything. */
interface RequestedUrl {
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly options: UrlOptions;
}

const noParameters: Readonly<Record<string, never>> = Object.freeze(
  Object.create(null) as Record<string, never>, // an object without a prototype is empty
);

/** The schema outputs for the parts of a request. */
export type CheckedParts = Readonly<Partial<Record<'params' | 'query' | 'headers' | 'body', unknown>>>;

const noParts: CheckedParts = {};

/**
 * The argument of a controller that declares no arguments: the request, with its route parameters, user, locale and
 * log. `Parameters` is the route parameters' type, `User` the type of the application's users.
 */
export class ControllerContext<
  Parameters = Readonly<Record<string, unknown>>,
  User extends RequestUser = RequestUser,
> {
  readonly request: HttpRequest;
  readonly #services: ContextServices;
  readonly #parts: CheckedParts;

  constructor(request: HttpRequest, services: ContextServices, parts: CheckedParts = noParts) {
    this.request = request;
    this.#services = services;
    this.#parts = parts;
  }

  /** Creates a context like `plain`, with schema outputs. Parts without a schema are unchanged. */
  static checked(plain: ControllerContext, parts: CheckedParts): ControllerContext<unknown> {
    const { headers, body } = parts;
    const context = new ControllerContext<unknown>(plain.request, plain.#services, parts);
    return Object.assign(context, { headers, body });
  }

  /** The route parameters. */
  get params(): Parameters {
    const parts = this.#parts;
    const found = 'params' in parts ? parts.params : this.request.scope.get(requestRoute)?.parameters;
    return (found ?? noParameters) as Parameters; // the type is derived from the route's pattern or from a schema
  }

  get query(): URLSearchParams {
    return 'query' in this.#parts ? (this.#parts.query as URLSearchParams) : this.request.query; // typed by `SchemaContext`
  }

  /** The locale chosen for this request (BCP 47). */
  get locale(): string {
    return this.request.scope.get(requestLocale) ?? 'en';
  }

  /** The request's user; undefined if anonymous. */
  get user(): User | undefined {
    return this.request.scope.get(requestUser)?.() as User | undefined; // created by the application's provider
  }

  /** The application's logger; its records belong to this request. */
  get log(): Logger {
    return this.#services.log;
  }

  /**
   * Generates a named route's URL: a path, unless the route needs another host or scheme. It is a bound function,
   * so it can be destructured from the context: `({ url }) => url('home')`. The options are those of `app.url()`:
   * `url('home', {}, { type: 'absolute' })` begins with the scheme and host of this request.
   */
  get url(): GenerateUrl<[options?: UrlOptions]> {
    return (name, parameters = noParameters, options = noParameters) =>
      this.#services.generateUrl(this.request, { name, parameters, options });
  }
}
