import { HttpResponse } from 'lookback';
import type { SafeHtml } from 'lookback/html';
import { baseStyles, contentSecurityPolicy, createStyleAsset, renderDocument } from 'lookback/html';

const styles = createStyleAsset(`
main, header, footer { max-width: 44rem; margin: 0 auto; padding: 1rem; }
body { font-size: 16px; }
header { display: flex; flex-wrap: wrap; gap: 1rem; align-items: baseline; border-bottom: 1px solid var(--line); }
header a:first-child { font-weight: 700; color: inherit; text-decoration: none; }
h1 { font-size: 1.75rem; margin: 1rem 0; } h2 { margin: 1.5rem 0 .5rem; font-size: 1.1rem; }
main ul { padding-left: 1.25rem; } main li { margin: .35rem 0; } main p { margin: .75rem 0; }
form { display: grid; gap: .75rem; max-width: 28rem; } form label { display: grid; gap: .25rem; }
.problem { color: var(--err); } code { font: 13px/1.4 var(--mono); }
`);
const assets = [baseStyles, styles];
const policy = contentSecurityPolicy({ assets });

/** A page of the demo: title, menu and content, in the same look as the framework's own pages. */
export function page(title: string, content: SafeHtml, status = 200): HttpResponse {
  const body = renderDocument(content, { lang: 'en', title: `${title} · Journal`, assets });
  return HttpResponse.html(body, { status, headers: { 'Content-Security-Policy': policy } });
}
