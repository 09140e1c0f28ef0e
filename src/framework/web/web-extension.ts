import { type ErrorCodes, defineErrorCodes } from '#core/coded-error';
import type { HttpRequest } from '#core/http';
import { listOf, type OptionType, textWith } from '#core/options';
import type { KernelListener } from '#framework/kernel';

/** An application extension. */
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
    fix: 'List the allowed origins, or pass a function.',
  },
  WEB_CORS_ORIGIN: {
    message: '"{origin}" is not an origin.',
    fix: 'Use the scheme, the host and any non-default port: "https://app.example.org", "https://*.example.org" or "null".',
  },
  WEB_BAD_OPTION: { message: 'The {option} option of {what} is {given}.', fix: 'It takes {takes}.' },
  WEB_FOLDER_MISSING: {
    message: 'The staticFiles() folder {folder} cannot be read.',
    fix: 'Pass a folder that exists when the application is created.',
  },
  WEB_MANIFEST_UNREADABLE: {
    message: 'The staticFiles() build manifest {file} cannot be read: {reason}.',
    fix: 'Pass the path of the JSON file that the build tool writes, such as "dist/.vite/manifest.json".',
  },
  WEB_NO_REQUEST: {
    message: 'cspNonce() was called outside of a request.',
    fix: 'Call it while handling a request, or pass the request.',
  },
  WEB_EVENT_FIELD: {
    message: 'The {field} of an event contains a line break or a NUL character.',
    fix: 'Put the text in the event’s data.',
  },
  WEB_UPLOAD_TYPE: {
    message: 'The body is not a multipart form.',
    fix: 'Send multipart/form-data without a content coding.',
  },
  WEB_UPLOAD_FILE_TYPE: { message: 'The file "{field}" has the type "{given}"; send {expected}.' },
  WEB_SOCKET_PACKAGE: {
    message: 'WebSockets require the package ws, which is not installed.',
    fix: 'Run "npm install ws".',
  },
  WEB_SOCKET_CLOSED: { message: 'The WebSocket is closed.' },
  WEB_SOCKET_SLOW: {
    message: 'A WebSocket client reads too slowly: more than {limit} bytes are queued.',
  },
  WEB_FILE_CHANGED: { message: 'A file changed while it was being sent.' },
} as const;

/** Error codes for invalid extension options, and for sent files. */
export const webErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
