import type { ErrorReport, ReportedError } from '../report/error-report.js';

interface HintRule {
  readonly code?: RegExp;
  readonly message?: RegExp;
  readonly hint: string;
}

/** Hints for errors of Node and JavaScript whose message does not say how to fix them. */
const rules: readonly HintRule[] = [
  {
    code: /^ECONNREFUSED$/,
    hint: 'Nothing listens at that address. Is the service started, and are host and port right?',
  },
  {
    code: /^ENOTFOUND$|^EAI_AGAIN$/,
    hint: 'The host name could not be resolved. Check its spelling and the network.',
  },
  {
    code: /^ETIMEDOUT$|TIMEOUT/,
    hint: 'The other side did not answer in time. Is it reachable, and is the time-out long enough?',
  },
  { code: /^ECONNRESET$/, hint: 'The other side closed the connection before it answered.' },
  { code: /^EADDRINUSE$/, hint: 'Another process uses this port. Stop it, or choose another one with PORT.' },
  {
    code: /^ENOENT$/,
    hint: 'There is no such file or folder. A relative path is resolved from the folder in which the process was started.',
  },
  { code: /^EACCES$|^EPERM$/, hint: 'This process does not have the permission.' },
  {
    code: /^EMFILE$/,
    hint: 'Too many files are open. Make sure that streams and handles are closed, also when an error occurs.',
  },
  {
    code: /^ERR_MODULE_NOT_FOUND$|^MODULE_NOT_FOUND$/,
    hint: 'Is the package installed? Relative imports need their file ending (./name.js).',
  },
  {
    code: /^ERR_HTTP_HEADERS_SENT$/,
    hint: 'The response has already begun. Is it sent twice, or is a return missing after it was sent?',
  },
  {
    code: /^ERR_STREAM_PREMATURE_CLOSE$/,
    hint: 'The stream ended before its content did: the client or the source disconnected.',
  },
  {
    message: /^Cannot (?:read|set) propert(?:y|ies) of (?:undefined|null)/,
    hint: 'The value left of the marked dot is missing. Log it, or use “?.” where it may be absent.',
  },
  {
    message: / is not a function$/,
    hint: 'This value is not a function. Check the spelling, and whether it is a default or a named export.',
  },
  {
    message: / is not iterable/,
    hint: 'Only arrays, maps, sets and other iterables can be spread or looped over. Is an await missing?',
  },
  {
    message: /^Maximum call stack size exceeded/,
    hint: 'A function calls itself endlessly: the same lines repeat in the stack below.',
  },
  {
    message: /^Converting circular structure to JSON/,
    hint: 'The value refers to itself. Return only the fields the client needs.',
  },
  {
    message: / in JSON at position |is not valid JSON|^Unexpected end of JSON input/,
    hint: 'The text is not JSON. Look at its beginning: is it an HTML error page, or empty?',
  },
  {
    message: /^Cannot access '.*' before initialization/,
    hint: 'The variable is used before its declaration, or two modules import each other.',
  },
  {
    message: /^No routes found for "/,
    hint: 'The inner message quotes the path with a slash at its end because routes with and without one were tried.',
  },
];

const noErrorHint: string =
  'The thrown value is not an Error. Throw an Error or a subclass of it: only these have a stack.';

/** Returns at most five hints of one sentence each: first the `fix` texts of the errors, then hints by code or message. */
export function findHints(report: ErrorReport): readonly string[] {
  const hints = new Set<string>();
  for (const error of report.errors) if (error.fix !== undefined) hints.add(error.fix);
  if (report.errors.some((error) => error.isNoError === true)) hints.add(noErrorHint);
  for (const error of report.errors) {
    const rule = rules.find((one) => applies(one, error));
    if (rule !== undefined) hints.add(rule.hint);
  }
  return [...hints].slice(0, 5);
}

function applies(rule: HintRule, error: ReportedError): boolean {
  if (rule.code !== undefined) return error.code !== undefined && rule.code.test(error.code);
  return rule.message?.test(error.message.slice(0, 500)) ?? false;
}
