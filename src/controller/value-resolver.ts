import type { HttpRequest } from '#http';
import type { StandardSchema } from './standard-schema.js';

/** The part of a request that an argument is read from, for code that describes the route. */
export interface ArgumentSource {
  readonly in: 'query' | 'header' | 'cookie' | 'body' | 'form';
  /** Absent for a whole body. */
  readonly name?: string;
  readonly isRequired?: boolean;
  /** JSON type of the value; default `string`. */
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'file';
  readonly schema?: StandardSchema;
  /** Media types of a body. */
  readonly mediaTypes?: readonly string[];
}

/** Port: the source of one argument of a controller. */
export interface ValueResolver<Value = unknown> {
  /** How the argument is called in records, messages and as the subject of access checks. */
  readonly name: string;
  /** The route parameter that it reads: a route without it refuses the controller when it is registered. */
  readonly routeParameter?: string;
  /** What it reads, other than parameters of the route. Only descriptions of the route use it. */
  readonly source?: ArgumentSource;
  /** The value, or a promise of it. Throws an `HttpError` where the request is at fault. */
  resolve(request: HttpRequest): Value | Promise<Value>;
}
