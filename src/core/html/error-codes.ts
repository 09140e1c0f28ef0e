import { defineErrorCodes, type ErrorCodes } from '#core/coded-error';

const table = {
  HTML_FOREIGN_ELEMENT: {
    message: 'The element was created by {maker}, whose elements lookback cannot render.',
    fix: 'Set "jsxImportSource": "lookback" in tsconfig.json, or start the file with /** @jsxImportSource lookback */. Render components of another library with that library: trustedHtml(renderToString(<Page />)).',
  },
  HTML_EMPTY_PAGE: {
    message: 'The page "{title}" rendered an empty body.',
    fix: 'Return markup from its component. For a response without a page, return an HttpResponse.',
  },
} as const;

export const htmlErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
