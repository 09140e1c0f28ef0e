import { HttpResponse } from 'lookback';
import { html, type HtmlValue } from 'lookback/html';

/** Renders a whole page. Values in `html` are escaped. */
export function page(title: string, content: HtmlValue, status = 200): HttpResponse {
  const markup = html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>${title}</title>
      <main>
        <h1>${title}</h1>
        ${content}
      </main>
    </html>`;
  return HttpResponse.html(String(markup), { status });
}
