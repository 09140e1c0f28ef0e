import type { HttpRequest } from '#http';
import type { StandardSchema } from './standard-schema.js';

/** The part of a request that an argument is read from, for code that describes the route. */
export interface ArgumentSource {
  readonly in: 'query' | 'header' | 'cookie' | 'body' | 'form';
  /** Name of the part; absent for a whole body. */
  readonly name?: string;
  readonly isRequired?: boolean;
  /** JSON type of the value; default `string`. */
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'file';
  readonly schema?: StandardSchema;
  /** Media types of a body. */
  readonly mediaTypes?: readonly string[];
}

/** Port: resolves one argument of a controller. */
export interface ValueResolver<Value = unknown> {
  /** Name of the argument in records, in messages and as the subject of access checks. */
  readonly name: string;
  /** Name of the route parameter that is read. Registering the controller for a route without it throws. */
  readonly routeParameter?: string;
  /** The part of the request that is read, if not a route parameter; only used to describe the route. */
  readonly source?: ArgumentSource;
  /** Returns the value or a promise. Throws an `HttpError` if the request is invalid. */
  resolve(request: HttpRequest): Value | Promise<Value>;
}
