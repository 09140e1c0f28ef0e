import type { HttpRequest } from '#core/http';
import {
  type KernelListener,
  createErrorListener,
  createRouterListener,
  robotsListener,
  validateRequestListener,
  viewListener,
  kernelListener,
  kernelPriority,
  requestEvent,
  responseEvent,
} from '#framework/kernel';
import { type Logger, requestIdOf, takeRequestId } from '#core/log';
import type { Profiler } from '#profiler';
import type { AppFoundation } from './app-options.js';
import { createErrorRenderer } from './failures/error-renderer.js';
import { createReportListeners } from './failures/thrown-report.js';
import { takesFormMethod } from './routes/declare-routes.js';
import { createAccessLog } from './serving/access-log.js';

/** Returns the built-in listeners for every request. Their order does not matter: each has a stage and a priority. */
export function appListeners(
  foundation: AppFoundation,
  {
    log,
    accessLog,
    unrecordedPaths,
    profiler,
    formMethod,
  }: {
    readonly log: Logger;
    /** Receives the access log; not `log`, because records do not need these lines. */
    readonly accessLog: Logger;
    readonly unrecordedPaths: ReadonlySet<string>;
    /** Undefined if nothing is recorded. */
    readonly profiler: Profiler | undefined;
    /** Whether routes accept the method that a form names, unless they specify otherwise. */
    readonly formMethod: boolean;
  },
): readonly KernelListener[] {
  const { configuration, tableFor } = foundation;
  return [
    ...createAccessLog(foundation, { unrecordedPaths, log: accessLog, profiler }),
    ...(configuration.trustedProxies.length > 0 ? [receiveListener] : []),
    answerListener,
    validateRequestListener,
    createRouterListener({
      routes: tableFor,
      log: log.channel('router'),
      takesFormMethod: (route) => takesFormMethod(route, { byDefault: formMethod }),
    }),
    viewListener,
    ...createReportListeners(log.channel('request'), foundation),
    createErrorListener(createErrorRenderer(foundation, { log, profiler })),
    ...(configuration.debug ? [robotsListener] : []),
  ];
}

const idForm = /^[\w.:/@+=-]{1,128}$/;
/** Version, trace id, parent id, flags (W3C Trace Context, section 3.2). */
const traceForm = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/;
const noTrace = '0'.repeat(32);

/** A trusted proxy sets the request id with `X-Request-Id`, or with the trace id of `traceparent`; otherwise it is generated. */
const receiveListener: KernelListener = kernelListener(
  requestEvent,
  ({ request }) => {
    const id = receivedId(request);
    if (id !== undefined) takeRequestId(request.scope, id);
  },
  { name: 'request id', priority: kernelPriority.request.requestId },
);

const answerListener: KernelListener = kernelListener(
  responseEvent,
  ({ request, response }) => {
    if (!response.headers.has('x-request-id'))
      response.headers.append('X-Request-Id', requestIdOf(request.scope));
  },
  { name: 'request id', priority: kernelPriority.response.requestId },
);

function receivedId({ trust, peer, headers }: HttpRequest): string | undefined {
  if (peer.address === undefined || trust?.isTrustedProxy(peer.address) !== true) return undefined;
  const id = headers.get('x-request-id');
  if (id !== undefined && idForm.test(id)) return id;
  const trace = traceForm.exec(headers.get('traceparent') ?? '')?.[1];
  return trace === noTrace ? undefined : trace;
}
