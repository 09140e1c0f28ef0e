import { type ErrorCodes, defineErrorCodes } from '#core/coded-error';
import type { HttpRequest } from '#core/http';
import { listOf, type OptionType, textWith } from '#core/options';
import type { KernelListener } from '#framework/kernel';

/** An extension of the application. */
export interface WebExtension {
  readonly name: string;
  readonly listeners: readonly KernelListener[];
}

/** The type of the option `paths`. */
export const pathList: OptionType<readonly string[]> = listOf(
  textWith('a path, such as "/api"', (value) => value === '' || value.startsWith('/')),
);

/** Creates a test for requests to one of the paths or below it. Without paths, it accepts every request. */
export function createPathMatcher(paths: readonly string[] | undefined): (request: HttpRequest) => boolean {
  if (paths === undefined) return () => true;
  const prefixes = paths.map((path) => (path.endsWith('/') ? path.slice(0, -1) : path));
  return ({ path }) => prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}

/** Maximum delay of a Node timer; with a longer delay, a timer fires at once. */
const maxMilliseconds = 2_147_483_647;

/** Limits milliseconds to a timer's maximum, about 24 days. */
export function timerMilliseconds(given: number): number {
  return Math.min(given, maxMilliseconds);
}

const table = {
  WEB_CORS_CREDENTIALS: {
    message: 'Credentials cannot be allowed for every origin.',
    fix: 'List the origins, or pass a function.',
  },
  WEB_CORS_ORIGIN: {
    message: '"{origin}" is not an origin.',
    fix: 'Write the scheme, the host and, unless it is the default, the port: "https://app.example.org", "https://*.example.org" or "null".',
  },
  WEB_BAD_OPTION: { message: 'The option {option} of {what} is {given}.', fix: 'It takes {takes}.' },
  WEB_FOLDER_MISSING: {
    message: 'The folder {folder} of staticFiles cannot be read.',
    fix: 'Pass the path of a folder that exists when the application is created.',
  },
  WEB_MANIFEST_UNREADABLE: {
    message: 'The build manifest {file} of staticFiles cannot be read: {reason}.',
    fix: 'Pass the path of the JSON file that the build tool has written, such as "dist/.vite/manifest.json".',
  },
  WEB_NO_REQUEST: {
    message: 'cspNonce() was called outside of a request.',
    fix: 'Call it while a request is handled, or pass the request.',
  },
  WEB_EVENT_FIELD: {
    message: 'The {field} of an event holds a line break or a NUL character.',
    fix: 'Put the text in its data.',
  },
  WEB_UPLOAD_TYPE: {
    message: 'The body is not a multipart form.',
    fix: 'Send multipart/form-data without a content coding.',
  },
  WEB_UPLOAD_FILE_TYPE: { message: 'The file "{field}" has the type "{given}"; send {expected}.' },
  WEB_SOCKET_PACKAGE: {
    message: 'WebSockets need the package ws, which is not installed.',
    fix: 'Run "npm install ws".',
  },
  WEB_SOCKET_CLOSED: { message: 'The WebSocket is closed.' },
  WEB_SOCKET_SLOW: {
    message: 'The client of a WebSocket reads too slowly: over {limit} bytes wait.',
  },
  WEB_FILE_CHANGED: { message: 'A file changed while it was being sent.' },
} as const;

/** Error codes for invalid options of the extensions, and for sent files. */
export const webErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
