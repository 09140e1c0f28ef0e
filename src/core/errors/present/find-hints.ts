import type { ErrorReport } from '../report/error-report.js';

/** Hints, by code and message, for Node and JavaScript errors whose message does not name the usual cause. */
const rules: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [
    /^ECONNREFUSED /,
    'Nothing is listening at that address. Is the service running, and are the host and port correct?',
  ],
  [/^(?:ENOTFOUND|EAI_AGAIN) /, 'The host name could not be resolved. Check its spelling and the network.'],
  [/^EADDRINUSE /, 'Another process uses this port. Stop it, or choose another one with PORT.'],
  [
    /^ENOENT /,
    'The file or folder does not exist. Relative paths are resolved from the folder in which the process was started.',
  ],
  [
    /^(?:ERR_)?MODULE_NOT_FOUND /,
    'Is the package installed? Relative imports need a file extension (./name.js).',
  ],
  [
    /^ERR_HTTP_HEADERS_SENT /,
    'The response has already started. Is it sent twice, or is a return missing after it is sent?',
  ],
  [
    / in JSON at position |is not valid JSON| Unexpected end of JSON input/,
    'The text is not JSON. Check how it starts: is it an HTML error page, or empty?',
  ],
  [
    / No routes found for "/,
    'The inner message shows the path with a trailing slash because routes with and without one were tried.',
  ],
];

const noErrorHint: string =
  'The thrown value is not an Error. Throw an Error or a subclass: only errors have a stack.';

/** Returns at most five one-sentence hints: first the errors' `fix` texts, then hints by code or message. */
export function findHints(report: ErrorReport): readonly string[] {
  const hints = new Set<string>();
  for (const error of report.errors) if (error.fix !== undefined) hints.add(error.fix);
  if (report.errors.some((error) => error.isNoError === true)) hints.add(noErrorHint);
  for (const { code = '', message } of report.errors) {
    const [, hint] = rules.find(([pattern]) => pattern.test(`${code} ${message.slice(0, 500)}`)) ?? [];
    if (hint !== undefined) hints.add(hint);
  }
  return [...hints].slice(0, 5);
}
