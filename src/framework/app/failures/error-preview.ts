import {
  BadRequestError,
  ForbiddenError,
  HttpError,
  MethodNotAllowedError,
  NotFoundError,
  PayloadTooLargeError,
  UnprocessableContentError,
  UnsupportedMediaTypeError,
} from '#core/errors';
import { HttpRequest, requestRoute } from '#core/http';
import { createScopeKey, type ScopeKey } from '#core/scope';
import { currentRequest } from '#framework/controller';
import { ownGuard } from '#framework/kernel';
import type { AppFoundation } from '../app-options.js';
import type { AppRoute } from '../route-attribute.js';

/** Media type of the previewed page, if the path names a format. */
const errorPreview: ScopeKey<{ readonly type: string | undefined }> = createScopeKey('error preview');

const mediaTypes: ReadonlyMap<unknown, string> = new Map([
  ['html', 'text/html'],
  ['json', 'application/json'],
  ['txt', 'text/plain'],
]);

const message = 'This is a preview of the error page.';
const hidden = { expose: false } as const;
const errorsByStatus: ReadonlyMap<number, () => Error> = new Map<number, () => Error>([
  [400, () => new BadRequestError(message, hidden)],
  [403, () => new ForbiddenError(message, hidden)],
  [404, () => new NotFoundError(message, hidden)],
  [405, () => new MethodNotAllowedError(['POST'], message, hidden)],
  [413, () => new PayloadTooLargeError(message, hidden)],
  [415, () => new UnsupportedMediaTypeError(message, hidden)],
  [422, () => new UnprocessableContentError(message, hidden)],
  [500, () => new Error(message)],
]);

/**
 * Returns whether this request's error page is shown as in production: in debug, at `/_error/404`, `/_error/500.json`
 * and so on. Use it to preview a custom error page that leaves errors in debug to the debug page.
 */
export function isErrorPreview(request: HttpRequest): boolean {
  return request.scope.get(errorPreview) !== undefined;
}

/** Returns the media type named by a preview's path. */
export function previewTypeOf(request: HttpRequest): string | undefined {
  return request.scope.get(errorPreview)?.type;
}

/** Creates the preview route, which exists only in debug, and only for clients that may see debug output. */
export function errorPreviewRoutes({ configuration, isShown }: AppFoundation): readonly AppRoute[] {
  if (!configuration.debug) return [];
  return [
    {
      name: '_profiler_error',
      path: '/_error/{status<[45]\\d\\d>}.{_format<html|json|txt>?}',
      methods: 'GET',
      arguments: [currentRequest()],
      condition(_context, request) {
        if (!(request instanceof HttpRequest) || !isShown(request)) return false;
        request.scope.set(ownGuard, '_profiler');
        return true;
      },
      controller: previewError,
    },
  ];
}

function previewError(request: HttpRequest): never {
  const parameters = request.scope.get(requestRoute)?.parameters ?? {};
  const status = Number(parameters['status']);
  request.scope.set(errorPreview, { type: mediaTypes.get(parameters['_format']) });
  throw errorsByStatus.get(status)?.() ?? new HttpError(status, message, hidden);
}
