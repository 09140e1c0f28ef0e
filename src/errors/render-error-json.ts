import { createRedactor } from '#dump';
import type { ErrorPageContext } from './error-page-context.js';
import type { ErrorReport } from './error-report.js';
import { findHints } from './find-hints.js';
import { statusText } from './status-text.js';

const redactor = createRedactor();

/**
 * The report as a problem document (RFC 9457): `type`, `title`, `status`, `detail` (the outer message), `instance`
 * (the request's URL), and as extensions `exception` (the chain, inner error first), `hints`, `routing`, `logs`, `record`.
 */
export function renderErrorJson(report: ErrorReport, context: ErrorPageContext = {}): string {
  const { request, routing, logs, record } = context;
  const hints = findHints(report);
  return JSON.stringify({
    type: 'about:blank',
    title: statusText(report.status),
    status: report.status,
    detail: report.message,
    ...(request === undefined ? {} : { instance: redactor.url(request.url), method: request.method }),
    exception: report.errors,
    ...(report.more === undefined ? {} : { moreExceptions: report.more }),
    ...(hints.length === 0 ? {} : { hints }),
    ...(routing === undefined ? {} : { routing }),
    ...(logs === undefined ? {} : { logs: logs.slice(0, 300) }),
    ...(record === undefined ? {} : { record }),
  });
}
