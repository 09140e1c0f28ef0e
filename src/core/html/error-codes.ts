import { defineErrorCodes, type ErrorCodes } from '#core/coded-error';

const table = {
  HTML_FOREIGN_ELEMENT: {
    message: 'The element was made by {maker}, whose elements lookback does not render.',
    fix: 'Set "jsxImportSource": "lookback" in tsconfig.json, or begin the file with /** @jsxImportSource lookback */. Components of another library are rendered by it: trustedHtml(renderToString(<Page />)).',
  },
  HTML_EMPTY_PAGE: {
    message: 'The body of the page "{title}" rendered to nothing.',
    fix: 'Return markup from its component; for a response without a page, return an HttpResponse.',
  },
} as const;

export const htmlErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
