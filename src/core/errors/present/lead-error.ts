import type { ErrorReport, ReportedChain, ReportedError, ReportedFrame } from '../report/error-report.js';

/** The one error of a report by which lists, sentences and terminals name it, and its line in the application. */
export interface LeadError {
  readonly error: ReportedError;
  /** The line from which it was thrown; undefined if no frame of the report is the application's. */
  readonly frame: ReportedFrame | undefined;
  /** Its message, and in parentheses that of the innermost cause, which has no line of its own. */
  readonly message: string;
  /** The errors that were thrown because of it, the inner ones first. */
  readonly outer: readonly ReportedError[];
}

/**
 * Finds the innermost error that has a line in the application. Without such a line, it is the outermost one if the request
 * was refused (a status below 500), else the innermost one. Undefined for an empty report.
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

/** Codes of errors whose line in the application is that of a declaration: nothing was thrown there. */
const declarations: ReadonlySet<string | undefined> = new Set(['KERNEL_NO_RESPONSE']);

/** Whether the application's line of an error only declares what failed: a controller that has returned nothing. */
export function isDeclaration({ code }: Pick<ReportedError, 'code'>): boolean {
  return declarations.has(code);
}

function nameOf({ class: name, code }: ReportedError): string {
  return code ?? name;
}

/** The ways from the outermost error to each error of a report; those that lead to the innermost ones come first. */
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
