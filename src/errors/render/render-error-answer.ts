import { type ClientProblem, plainProblem } from '../status/client-problem.js';
import type { ErrorPageContext } from '../report/error-page-context.js';
import type { ErrorReport } from '../report/error-report.js';
import { errorPagePolicy, renderErrorPage } from '../page/error-page.js';
import { renderErrorJson } from './render-error-json.js';
import { renderErrorMarkdown } from '../present/render-error-markdown.js';
import { renderErrorText } from './render-error-text.js';
import { plainErrorPolicy, renderPlainError, renderPlainText } from './render-plain-error.js';
import { parseQualityValues, rangeCloseness } from '#negotiation';

/** Status, headers and body of the answer to an error, ready to be sent. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** The renderer itself failed with this, and the body is the last resort. */
  readonly failure?: unknown;
}

/** How an error is answered. */
export interface ErrorAnswerOptions {
  /** The request's Accept header. */
  accept?: string | undefined;
  /** Whether the report may be seen. Off: the problem only. */
  debug: boolean;
  /** What every client is sent; default status and title. */
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
 * The answer to an error in the form that the client accepts. The caller adds the headers of an `HttpError`. Never
 * throws: if a renderer fails, the answer is plain text with the status, without any template.
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
    return { status, headers: headersOf('text', ''), body: lastResort(report, options), failure };
  }
}

/** An answer that is given status and title only depends on nothing else: each is made once. */
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

/** In debug the messages too, as far as they can be read. */
function lastResort(report: ErrorReport, { debug }: ErrorAnswerOptions): string {
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
 * The headers by which a tool sees an error without reading the page, for debug only: the outer message
 * percent-encoded (its first 2,000 characters), and the file and line where the outer error was thrown.
 */
function debugHeaders(report: ErrorReport): readonly (readonly [name: string, value: string])[] {
  const message = ['X-Debug-Exception', encode(report.message)] as const;
  const frame = report.errors.at(-1)?.frames.find((one) => one.path !== undefined);
  if (frame?.path === undefined) return [message];
  return [message, ['X-Debug-Exception-File', `${encode(frame.path)}:${frame.line}`]];
}

function encode(text: string): string {
  const encoded = encodeURIComponent(text.slice(0, 2000).toWellFormed());
  // Other alphabets grow ninefold; clients refuse header blocks over 16 KiB. Never cut inside an escape.
  return encoded.length <= 8000 ? encoded : encoded.slice(0, 8000).replace(/%.?$/, '');
}

/** The forms an error answer has. */
export type ErrorFormat = 'html' | 'json' | 'markdown' | 'text';

/**
 * What is offered, best first: under a wildcard the first one wins, so other names of a form are at the end. A client that
 * takes anything is a program and gets the first: browsers name HTML when they navigate.
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
 * Chooses the form by an Accept header (RFC 9110, 12.5.1): the highest quality wins, then the type that was named
 * most exactly, then what the client named first, then our own order. A problem document where there is no header, or
 * nothing acceptable is offered.
 */
export function chooseErrorFormat(accept: string | undefined): ErrorFormat {
  const ranges = parseQualityValues(accept ?? '');
  let best: { readonly format: ErrorFormat; readonly rank: number } = { format: 'json', rank: 0 };
  for (const [type, format] of offers) {
    // The most exact range decides the quality of a type.
    let [closest, rank] = [0, 0];
    for (const [place, { value, quality }] of ranges.entries()) {
      const closeness = closenessOf(value, type);
      if (closeness <= closest) continue;
      closest = closeness;
      // A quality has three decimals, and there are at most a hundred ranges.
      rank = quality === 0 ? 0 : quality + closeness / 1e4 - (closeness === 3 ? place / 1e7 : 0);
    }
    if (rank > best.rank) best = { format, rank };
  }
  return best.format;
}

function closenessOf(range: string, type: string): number {
  // A JSON of another kind (`application/vnd.api+json`) is best served by ours.
  if (range !== type && range.endsWith('+json') && type === 'application/problem+json') return 2;
  return rangeCloseness(range, type);
}
