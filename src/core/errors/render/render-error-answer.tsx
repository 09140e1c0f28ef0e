import { asOwnTime } from '#core/scope';
import { type ClientProblem, plainProblem, type Violation } from '../status/http-errors.js';
import type { ErrorPageContext, ErrorReport } from '../report/error-report.js';
import { errorPagePolicy, renderErrorPage } from '../page/error-page.js';
import { renderErrorMarkdown, renderErrorText } from '../present/render-report.js';
import { negotiateType } from '#core/negotiation';
import { createRedactor } from '#core/dump';
import { findHints } from '../present/find-hints.js';
import { contentSecurityPolicy, createStyleAsset, renderDocument, visibleText } from '#core/html';

/** An error response's status, headers and body, ready to be sent. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** The error that the renderer itself threw, if it failed; the body is then a plain fallback. */
  readonly failure?: unknown;
}

export interface ErrorAnswerOptions {
  accept?: string | undefined;
  contentType?: string | undefined;
  /** Whether the response contains the report. If false, it contains only the problem. */
  debug: boolean;
  /** The problem sent to every client; by default only status and title. */
  problem?: ClientProblem;
  context?: ErrorPageContext;
}

const types: Record<ErrorFormat, string> = {
  html: 'text/html; charset=utf-8',
  json: 'application/problem+json',
  markdown: 'text/markdown; charset=utf-8',
  text: 'text/plain; charset=utf-8',
};

/**
 * Renders the error in the format that the client accepts. Never throws: if a renderer fails, the response is plain
 * text.
 */
export function renderErrorAnswer(report: ErrorReport, options: ErrorAnswerOptions): ErrorAnswer {
  const { status } = report;
  const problem = options.problem ?? plainProblem(status);
  try {
    const format = chooseErrorFormat(options.accept, options);
    if (!options.debug) return plainAnswer(format, problem);
    return {
      status,
      headers: [...headersOf(format, errorPagePolicy), ...isolation, ...debugHeaders(report)],
      // Not counted as request time: users see another page.
      body: asOwnTime(() => renderDebug(format, report, { ...options, problem })),
    };
  } catch (failure) {
    return { status, headers: headersOf('text', ''), body: renderPlainText(plainProblem(status)), failure };
  }
}

/** For pages with application details: another site's page that opened this one gets no reference to its window. */
const isolation = [
  ['X-Frame-Options', 'DENY'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
] as const;

/** Cached responses with status and title only; they depend on nothing else. Bounded. */
const plainAnswers = new Map<string, ErrorAnswer>();

function plainAnswer(format: ErrorFormat, problem: ClientProblem): ErrorAnswer {
  const { status, detail, violations } = problem;
  const key = `${format} ${status}`;
  const isPlain = detail === undefined && violations === undefined;
  let answer = isPlain ? plainAnswers.get(key) : undefined;
  if (answer === undefined) {
    answer = { status, headers: headersOf(format, plainErrorPolicy), body: renderPlain(format, problem) };
    if (isPlain && plainAnswers.size < 200) plainAnswers.set(key, answer);
  }
  return answer;
}

function headersOf(format: ErrorFormat, policy: string): ErrorAnswer['headers'] {
  return [
    ['Content-Type', types[format]],
    ['Vary', 'Accept'],
    ['Cache-Control', 'no-store'],
    ['X-Content-Type-Options', 'nosniff'],
    ...(format === 'html' ? ([['Content-Security-Policy', policy]] as const) : []),
  ];
}

function renderDebug(
  format: ErrorFormat,
  report: ErrorReport,
  { context = {}, problem }: Pick<ErrorAnswerOptions, 'context'> & { readonly problem: ClientProblem },
): string {
  switch (format) {
    case 'html':
      return renderErrorPage(report, context);
    case 'json':
      return renderErrorJson(report, context, { problem });
    case 'markdown':
      return renderErrorMarkdown(report, context);
    case 'text':
      return renderErrorText(report, context);
  }
}

function renderPlain(format: ErrorFormat, problem: ClientProblem): string {
  if (format === 'html') return renderPlainError(problem);
  return format === 'json' ? JSON.stringify(problem) : renderPlainText(problem);
}

/** Fields for tools, in debug: the outer message, percent-encoded, and the file and line that threw the outer error. */
function debugHeaders(report: ErrorReport): readonly (readonly [name: string, value: string])[] {
  const message = ['X-Debug-Exception', encode(report.message)] as const;
  const frame = report.errors.at(-1)?.frames.find((one) => one.path !== undefined);
  if (frame?.path === undefined) return [message];
  return [message, ['X-Debug-Exception-File', `${encode(frame.path)}:${frame.line}`]];
}

function encode(text: string): string {
  const encoded = encodeURIComponent(text.slice(0, 2000).toWellFormed());
  // Encoding can make a character nine times as long, and clients refuse header blocks over 16 KiB. Never cut inside an
  // escape.
  return encoded.length <= 8000 ? encoded : encoded.slice(0, 8000).replace(/%.?$/, '');
}

export type ErrorFormat = 'html' | 'json' | 'markdown' | 'text';

/** Offered media types, best first. A wildcard selects the first one, so format aliases are at the end. */
const formats = {
  'text/html': 'html',
  'application/problem+json': 'json',
  'text/markdown': 'markdown',
  'text/plain': 'text',
  'application/json': 'json',
  'text/json': 'json',
  'application/xhtml+xml': 'html',
  'text/x-markdown': 'markdown',
} as const satisfies Record<string, ErrorFormat>;
const offered = Object.keys(formats) as (keyof typeof formats)[]; // an object literal's keys
const offeredJsonFirst = ['application/problem+json', ...offered] as const;

/**
 * Chooses the format for an Accept header. In debug, the page is the default. JSON is for clients that name it, even if
 * only by sending it; outside debug also for clients that accept anything, because browsers name HTML when they
 * navigate.
 */
export function chooseErrorFormat(
  accept: string | undefined,
  { debug, contentType = '' }: Pick<ErrorAnswerOptions, 'debug' | 'contentType'>,
): ErrorFormat {
  // A client that wants another JSON type (`application/vnd.api+json`) is best served with a problem document.
  const named = accept
    ?.slice(0, 4096)
    .split(',')
    .map((part) => part.replace(/^[^;]*\+json/i, 'application/problem+json'))
    .join(',');
  const types =
    debug && !/^application\/(?:[\w.-]+\+)?json\b/i.test(contentType) ? offered : offeredJsonFirst;
  return formats[negotiateType(named, types) ?? types[0] ?? 'text/html'];
}

const redactor = createRedactor();

/**
 * Renders the report as a problem document (RFC 9457): the members that every client gets (`type`, `title`, `status`,
 * `detail`, `violations`), with the outer message as `detail` if the problem has none, and the extension member
 * `debug`: the request's `method` and `url`, `exception` (the chain, innermost error first), `hints`, `routing`,
 * `logs`, `record`.
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
      ...(logs === undefined ? {} : { logs }),
      ...(record === undefined ? {} : { record }),
    },
  });
}

const styles = createStyleAsset(`:root { color-scheme: light dark; }
body { margin: 0; min-height: 100vh; display: grid; place-content: center; justify-items: center; text-align: center; padding: 24px;
  font: 16px/1.5 system-ui, sans-serif; background: light-dark(#ffffff, #16181d); color: light-dark(#1f2328, #e6e8eb); }
p { margin: 0; font-size: 64px; font-weight: 700; line-height: 1.1; }
h1 { margin: 8px 0 0; font-size: 20px; font-weight: 500; color: light-dark(#59636e, #a3abb5); }
main { max-width: 70ch; overflow-wrap: anywhere; }
div { margin-top: 24px; white-space: pre-line; }
ul { display: inline-block; margin: 12px 0 0; padding-left: 20px; text-align: start; }
li + li { margin-top: 4px; }
code { font: 0.9em ui-monospace, monospace; }`);

export const plainErrorPolicy: string = contentSecurityPolicy({ assets: [styles] });

/** Renders the page outside debug mode: only the problem, nothing else about the error. */
export function renderPlainError({ status, title, detail, violations = [] }: ClientProblem): string {
  return renderDocument(
    <main>
      <p>{status}</p>
      <h1>{title}</h1>
      {detail !== undefined && violations.length === 0 && <div>{visibleText(detail)}</div>}
      {violations.length > 0 && (
        <ul>
          {violations.map((violation) => (
            <li>
              <code>{visibleText(locationOf(violation))}</code>: {visibleText(violation.message)}
            </li>
          ))}
        </ul>
      )}
    </main>,
    { lang: 'en', title: `${status} ${title}`, assets: [styles] },
  );
}

/** Renders the problem as text. Without `detail` it uses no template and no foreign data, so it cannot fail. */
export function renderPlainText({ status, title, detail, violations = [] }: ClientProblem): string {
  const head = `${status} ${title}\n`;
  if (detail === undefined) return head;
  const lines = violations.map((violation) => {
    return `- ${locationOf(violation)}: ${violation.message} (${violation.code})`;
  });
  return `${head}\n${[visibleText(detail), ...lines.map((line) => visibleText(line))].join('\n')}\n`;
}

function locationOf({ in: part, path }: Violation): string {
  return `${part ?? ''} ${path}`.trim() || '(all)';
}
