import type { ErrorReport, ReportedChain, ReportedError, ReportedFrame } from '../report/error-report.js';

/** The error that represents a report in lists, sentences and terminals, with its line in the application. */
export interface LeadError {
  readonly error: ReportedError;
  /** The line that threw it; undefined if the report has no application frame. */
  readonly frame: ReportedFrame | undefined;
  /** Its message, followed in parentheses by the innermost cause's message if that cause has no separate line. */
  readonly message: string;
  /** The errors thrown because of it, the inner ones first. */
  readonly outer: readonly ReportedError[];
}

/**
 * Finds the innermost error that has a line in the application. Without such a line, returns the outermost error if the
 * request was refused (a status below 500), otherwise the innermost one. Undefined for an empty report.
 */
export function findLeadError(report: ErrorReport): LeadError | undefined {
  const { origin, status } = report;
  const paths = [...pathsOf(report)];
  const named = origin && paths.find((path) => path.at(-1)?.label === origin.error);
  const frame = named?.at(-1)?.frames.find(({ index, kind }) => index === origin?.frame && kind === 'app');
  const path =
    frame !== undefined ? named : status < 500 ? paths.find(({ length }) => length === 1) : paths[0];
  const error = path?.at(-1);
  if (path === undefined || error === undefined) return undefined;
  const inner = paths.find((one) => one.includes(error)) ?? path;
  const cause = inner[inner.length - 1];
  const text = error.message === '' ? nameOf(error) : error.message;
  const reason = cause === undefined || cause === error ? '' : cause.message || nameOf(cause);
  const isNews = reason !== '' && !text.includes(reason) && status >= 500;
  const message = isNews ? `${text === error.class ? '' : text} (${reason})`.trim() : error.message;
  return { error, frame, message, outer: path.slice(0, -1).toReversed() };
}

/** Maximum characters of an error's message in a log line, and maximum outer errors. */
const maxMessage = 1000;
const maxOuter = 3;

/**
 * Describes a report as one text for logs: `TypeError: boom at shop.mjs:7, as Error: The order is not paid`. The lead
 * error comes first, with its own line; the errors thrown because of it follow. Undefined for an empty report.
 */
export function describeLeadError(report: ErrorReport): string | undefined {
  const lead = findLeadError(report);
  if (lead === undefined) return undefined;
  const { error, frame, message, outer } = lead;
  const place = frame === undefined || isDeclaration(error) ? '' : ` at ${frame.file}:${frame.line}`;
  const others = outer.slice(0, maxOuter).map((one) => `, as ${headOf(one, one.message)}`);
  const more = outer.length > maxOuter ? `, and ${outer.length - maxOuter} more` : '';
  return `${headOf(error, message)}${place}${others.join('')}${more}`;
}

function headOf({ class: name }: ReportedError, message: string): string {
  return message === '' ? name : `${name}: ${message.slice(0, maxMessage)}`;
}

/** Codes of errors whose application line is a declaration: nothing was thrown there. */
const declarations: ReadonlySet<string | undefined> = new Set(['KERNEL_NO_RESPONSE']);

/**
 * Whether an error's application line only declares the code that failed, such as a controller that returned nothing.
 */
export function isDeclaration({ code }: Pick<ReportedError, 'code'>): boolean {
  return declarations.has(code);
}

function nameOf({ class: name, code }: ReportedError): string {
  return code ?? name;
}

/** The paths from the outermost error to each error of a report; paths to the innermost errors come first. */
function* pathsOf(
  { errors }: ReportedChain,
  above: readonly ReportedError[] = [],
): Generator<readonly ReportedError[]> {
  for (const [index, error] of errors.entries()) {
    const path = [...above, ...errors.slice(index).toReversed()];
    for (const child of error.children ?? []) yield* pathsOf(child, path);
    yield path;
  }
}
