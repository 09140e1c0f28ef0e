import type { ErrorCodes } from '#coded-error';
import { defineErrorCodes } from '#coded-error';

const table = {
  WEB_CORS_CREDENTIALS: {
    message: 'Credentials cannot be allowed for every origin.',
    fix: 'List the origins, or decide by a function.',
  },
  WEB_CORS_ORIGIN: {
    message: '"{origin}" is not an origin.',
    fix: 'Write scheme, host and, where it is not the default, port: "https://app.example.org", "https://*.example.org" or "null".',
  },
  WEB_BAD_OPTION: { message: 'The option {option} of {what} is {given}.', fix: 'It takes {takes}.' },
  WEB_FOLDER_MISSING: {
    message: 'The folder {folder} of staticFiles cannot be read.',
    fix: 'Give the path of a folder that exists when the application is made.',
  },
  WEB_NO_REQUEST: {
    message: 'cspNonce() was called outside of a request.',
    fix: 'Call it while a request is answered, or give it the request.',
  },
  WEB_FILE_CHANGED: { message: 'A file changed while it was being sent.' },
} as const;

/** What can be wrong with how the parts of this house are set up, and with files that are sent. */
export const webErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
