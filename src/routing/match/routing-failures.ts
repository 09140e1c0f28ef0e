import { CodedError, nameErrors } from '#coded-error';

/** No route matches the path. `path` is the decoded path; the message shows it with a trailing slash. */
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

/** Routes match the path, but only with other methods: `allow`, in the order of the routes. */
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
