import { createRedactor } from '#dump';
import type { ErrorPageContext } from '../report/error-page-context.js';
import type { ErrorReport } from '../report/error-report.js';
import { findHints } from '../present/find-hints.js';
import type { ClientProblem } from '../status/client-problem.js';
import { plainProblem } from '../status/client-problem.js';

const redactor = createRedactor();

/**
 * Renders the report as a problem document (RFC 9457): the members that every client gets (`type`, `title`, `status`,
 * `detail`, `violations`), with the outer message as `detail` if the problem has none, and the extension member `debug`:
 * `method` and `url` of the request, `exception` (the chain, innermost error first), `hints`, `routing`, `logs`, `record`.
 */
export function renderErrorJson(
  report: ErrorReport,
  context: ErrorPageContext = {},
  { problem = plainProblem(report.status) }: { readonly problem?: ClientProblem } = {},
): string {
  const { request, routing, logs, record } = context;
  const hints = findHints(report);
  return JSON.stringify({
    ...problem,
    detail: problem.detail ?? report.message,
    debug: {
      ...(request === undefined ? {} : { method: request.method, url: redactor.url(request.url) }),
      exception: report.errors,
      ...(report.more === undefined ? {} : { moreExceptions: report.more }),
      ...(hints.length === 0 ? {} : { hints }),
      ...(routing === undefined ? {} : { routing }),
      ...(logs === undefined ? {} : { logs: logs.slice(0, 300) }),
      ...(record === undefined ? {} : { record }),
    },
  });
}
