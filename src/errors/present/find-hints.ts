import type { ErrorReport, ReportedError } from '../report/error-report.js';

interface HintRule {
  readonly code?: RegExp;
  readonly message?: RegExp;
  readonly hint: string;
}

/** Hints for errors of Node and JavaScript whose message does not say what is usually wrong. */
const rules: readonly HintRule[] = [
  {
    code: /^ECONNREFUSED$/,
    hint: 'Nothing listens at that address. Is the service started, and are host and port right?',
  },
  {
    code: /^ENOTFOUND$|^EAI_AGAIN$/,
    hint: 'The host name could not be resolved. Check its spelling and the network.',
  },
  { code: /^EADDRINUSE$/, hint: 'Another process uses this port. Stop it, or choose another one with PORT.' },
  {
    code: /^ENOENT$/,
    hint: 'There is no such file or folder. A relative path is resolved from the folder in which the process was started.',
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
    message: / in JSON at position |is not valid JSON|^Unexpected end of JSON input/,
    hint: 'The text is not JSON. Look at its beginning: is it an HTML error page, or empty?',
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
