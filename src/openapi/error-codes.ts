import type { ErrorCodes } from '#coded-error';
import { defineErrorCodes } from '#coded-error';

const table = {
  OPENAPI_VIEWER_MISSING: {
    message:
      'The page that shows the OpenAPI document needs the package swagger-ui-dist, which is not installed.',
    fix: 'Run "npm install --save-dev --ignore-scripts swagger-ui-dist", or set viewer: false.',
  },
  OPENAPI_NO_APP: {
    message: 'The OpenAPI document was requested before the application was created.',
    fix: 'Return the application from the function app among the options of openApi.',
  },
} as const;

/** Errors in the description of an application. */
export const openApiErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
