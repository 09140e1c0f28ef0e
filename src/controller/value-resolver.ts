import type { HttpRequest } from '#http';

/** Port: where one argument of a controller comes from. */
export interface ValueResolver<Value = unknown> {
  /** How the argument is called in records, messages and as the subject of access checks. */
  readonly name: string;
  /** The route parameter that it reads: a route without it refuses the controller when it is registered. */
  readonly routeParameter?: string;
  /** The value, or a promise of it. Throws an `HttpError` where the request is at fault. */
  resolve(request: HttpRequest): Value | Promise<Value>;
}
