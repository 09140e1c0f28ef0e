import { CodedError, nameErrors } from '#coded-error';

/** No route has the path. `path` is the decoded path; the message names it with one slash at its end. */
export class ResourceNotFoundError extends CodedError {
  readonly path: string;

  constructor(path: string) {
    super('ROUTING_NOT_FOUND', `No routes found for "${path.endsWith('/') ? path : `${path}/`}"`);
    this.path = path;
  }

  static {
    nameErrors(this, 'ResourceNotFoundError');
  }
}

/** Routes have the path, but under other methods: `allow`, in the order of their routes. */
export class MethodNotAllowedRouteError extends CodedError {
  readonly path: string;
  readonly method: string;
  readonly allow: readonly string[];

  constructor(method: string, path: string, allow: readonly string[]) {
    super(
      'ROUTING_METHOD_NOT_ALLOWED',
      `Routes for "${path}" answer ${allow.join(', ')}, but the request method is ${method}`,
    );
    this.path = path;
    this.method = method;
    this.allow = allow;
  }

  static {
    nameErrors(this, 'MethodNotAllowedRouteError');
  }
}
