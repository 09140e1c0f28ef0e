import type { ErrorCodes } from '#coded-error';
import { defineErrorCodes } from '#coded-error';

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
  WEB_NO_REQUEST: {
    message: 'cspNonce() was called outside of a request.',
    fix: 'Call it while a request is handled, or pass the request.',
  },
  WEB_EVENT_FIELD: {
    message: 'The {field} of an event holds a line break or a NUL character.',
    fix: 'Put the text in its data.',
  },
  WEB_UPLOAD_TYPE: {
    message: 'The body is not a multipart form with a boundary.',
    fix: 'Send multipart/form-data without a content coding.',
  },
  WEB_UPLOAD_MALFORMED: { message: 'The parts of the form cannot be separated.' },
  WEB_UPLOAD_FILE_TYPE: { message: 'The file "{field}" has the type "{given}"; send {expected}.' },
  WEB_UPLOAD_TOO_LARGE: { message: 'The file "{field}" is over the limit of {limit} bytes.' },
  WEB_UPLOAD_TOO_MANY: { message: 'The form has more than {limit} {what}.' },
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
