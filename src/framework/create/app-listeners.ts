import type { Redactor } from '#dump';
import type { HttpRequest } from '#http';
import type { KernelListener } from '#kernel';
import {
  createErrorListener,
  createRouterListener,
  robotsListener,
  validateRequestListener,
  viewListener,
} from '#kernel';
import type { Logger } from '#log';
import type { CompiledRoutes } from '#routing';
import type { Configuration } from '../configuration/configuration.js';
import { createErrorLogListener } from '../failures/error-log-listener.js';
import { createAccessLog } from '../serving/access-log.js';
import { createRequestIdListeners } from './request-id-listeners.js';

export interface ListenerParts {
  readonly configuration: Configuration;
  readonly log: Logger;
  readonly redactor: Redactor;
  readonly routes: (request: HttpRequest) => CompiledRoutes;
  readonly errorRenderer: Parameters<typeof createErrorListener>[0];
}

/** The steps of every request, in no particular order: each knows its stage and its priority. */
export function appListeners(parts: ListenerParts): readonly KernelListener[] {
  const { configuration, log, routes } = parts;
  return [
    ...createAccessLog({ format: configuration.accessLog, redactor: parts.redactor }),
    ...createRequestIdListeners(configuration),
    validateRequestListener,
    createRouterListener({ routes, log: log.channel('router') }),
    viewListener,
    createErrorLogListener(log.channel('request'), parts.redactor),
    createErrorListener(parts.errorRenderer),
    ...(configuration.debug ? [robotsListener] : []),
  ];
}
