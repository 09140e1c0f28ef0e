import { type ClientProblem, plainProblem } from '../status/client-problem.js';
import type { ErrorPageContext } from '../report/error-page-context.js';
import type { ErrorReport } from '../report/error-report.js';
import { errorPagePolicy, renderErrorPage } from '../page/error-page.js';
import { renderErrorJson } from './render-error-json.js';
import { renderErrorMarkdown } from '../present/render-error-markdown.js';
import { renderErrorText } from './render-error-text.js';
import { plainErrorPolicy, renderPlainError, renderPlainText } from './render-plain-error.js';
import { parseQualityValues, mediaRangeSpecificity } from '#negotiation';

/** Status, headers and body of an error response, ready to be sent. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** The error that the renderer itself threw, if it failed; the body is then a plain fallback. */
  readonly failure?: unknown;
}

/** Options of `renderErrorAnswer`. */
export interface ErrorAnswerOptions {
  /** The request's Accept header. */
  accept?: string | undefined;
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
 * Renders the error response in the format that the client accepts. The caller adds the headers of an `HttpError`. Never
 * throws: if a renderer fails, the response is plain text with the status, made without a template.
 */
export function renderErrorAnswer(report: ErrorReport, options: ErrorAnswerOptions): ErrorAnswer {
  const { status } = report;
  const problem = options.problem ?? plainProblem(status);
  try {
    const format = chooseErrorFormat(options.accept);
    if (!options.debug) return plainAnswer(format, problem);
    return {
      status,
      headers: [...headersOf(format, errorPagePolicy), ...debugHeaders(report)],
      body: renderDebug(format, report, { ...options, problem }),
    };
  } catch (failure) {
    return { status, headers: headersOf('text', ''), body: fallbackBody(report, options), failure };
  }
}

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

/** The fallback body: the status, and in debug mode the messages, if they can be read. */
function fallbackBody(report: ErrorReport, { debug }: ErrorAnswerOptions): string {
  const plain = renderPlainText(plainProblem(report.status));
  if (!debug) return plain;
  try {
    const messages = report.errors.map((error) => `[${error.label}] ${error.class}: ${error.message}`);
    return `${plain}\n${report.message}\n\n${messages.join('\n')}\n\nThe error page itself could not be made.\n`;
  } catch {
    return plain;
  }
}

/**
 * Debug-mode headers that let tools read an error without parsing the page: the outer message, percent-encoded (its first
 * 2,000 characters), and the file and line where the outer error was thrown.
 */
function debugHeaders(report: ErrorReport): readonly (readonly [name: string, value: string])[] {
  const message = ['X-Debug-Exception', encode(report.message)] as const;
  const frame = report.errors.at(-1)?.frames.find((one) => one.path !== undefined);
  if (frame?.path === undefined) return [message];
  return [message, ['X-Debug-Exception-File', `${encode(frame.path)}:${frame.line}`]];
}

function encode(text: string): string {
  const encoded = encodeURIComponent(text.slice(0, 2000).toWellFormed());
  // Encoding can make a character nine times as long, and clients refuse header blocks over 16 KiB. Never cut inside an escape.
  return encoded.length <= 8000 ? encoded : encoded.slice(0, 8000).replace(/%.?$/, '');
}

/** Formats of an error response. */
export type ErrorFormat = 'html' | 'json' | 'markdown' | 'text';

/**
 * Offered media types, best first. A wildcard selects the first one, so aliases of a format are at the end. A client that
 * accepts anything is a program and gets JSON: browsers name HTML when they navigate.
 */
const offers: readonly (readonly [type: string, format: ErrorFormat])[] = [
  ['application/problem+json', 'json'],
  ['text/html', 'html'],
  ['text/markdown', 'markdown'],
  ['text/plain', 'text'],
  ['application/json', 'json'],
  ['text/json', 'json'],
  ['application/xhtml+xml', 'html'],
  ['text/x-markdown', 'markdown'],
];

/**
 * Chooses the format for an Accept header (RFC 9110, 12.5.1): the highest quality wins, then the most specific range, then
 * the order in the header, then the order of `offers`. Returns `json` if there is no header or nothing offered is
 * acceptable.
 */
export function chooseErrorFormat(accept: string | undefined): ErrorFormat {
  const ranges = parseQualityValues(accept ?? '');
  let best: { readonly format: ErrorFormat; readonly rank: number } = { format: 'json', rank: 0 };
  for (const [type, format] of offers) {
    // The most specific range decides the quality of a type.
    let [bestSpecificity, rank] = [0, 0];
    for (const [position, { value, quality }] of ranges.entries()) {
      const specificity = specificityOf(value, type);
      if (specificity <= bestSpecificity) continue;
      bestSpecificity = specificity;
      // The smaller terms only break ties: a quality has three decimals, and there are at most a hundred ranges.
      rank = quality === 0 ? 0 : quality + specificity / 1e4 - (specificity === 3 ? position / 1e7 : 0);
    }
    if (rank > best.rank) best = { format, rank };
  }
  return best.format;
}

function specificityOf(range: string, type: string): number {
  // A client that wants another JSON type (`application/vnd.api+json`) is best served with a problem document.
  if (range !== type && range.endsWith('+json') && type === 'application/problem+json') return 2;
  return mediaRangeSpecificity(range, type);
}
