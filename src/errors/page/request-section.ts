import { createRedactor } from '#dump';
import { html, renderFragment, type SafeHtml, visibleText } from '#html';
import type { ErrorPageContext } from '../report/error-page-context.js';
import { keepForPairs, type Pairs } from '../present/keep-for-pairs.js';
import { renderRequestLine } from './hero.js';

type Request = NonNullable<ErrorPageContext['request']>;

const redactor = createRedactor();
const mostPairs = 200;

/** The request as it came in, without secrets. */
export function renderRequestSection(request: Request): SafeHtml {
  const { headers, query = [], cookies = [], body = '' } = request;
  const parts = [
    renderPart('Query', redactPairs(request.url, query), 'No query parameters.'),
    renderPart(
      'Cookies',
      cookies.map(([name]) => [name, '[redacted]'] as const),
      'No cookies.',
    ),
    renderHeaders(headers),
  ];
  return html`<section id="request" aria-labelledby="request-title">
    <h2 id="request-title">Request</h2>
    <div class="card pad">
      ${renderRequestLine(request)}${parts}
      <h3>Body</h3>
      ${body === '' ? html`<p class="empty">No body.</p>` : renderRequestBody(body)}
    </div>
  </section>`;
}

const renderHeaders: (headers: Pairs) => SafeHtml = keepForPairs((headers) =>
  renderFragment(renderPart('Headers', headers, 'No headers.')),
);

function renderRequestBody(body: string): SafeHtml {
  const text = visibleText(redactBody(body));
  return html`<pre class="plain" tabindex="0" role="group" aria-label="Body of the request">${text}</pre>`;
}

function renderPart(title: string, pairs: Pairs, empty: string): SafeHtml {
  const count = pairs.length > 0 && html`<span class="count">${pairs.length}</span>`;
  const rest = pairs.length - mostPairs;
  return html`<h3>${title} ${count}</h3>
    ${pairs.length === 0 ? html`<p class="empty">${empty}</p>` : renderFacts(pairs.slice(0, mostPairs))}
    ${rest > 0 && html`<p class="frame-note">… ${rest} more, left out</p>`}`;
}

function renderFacts(pairs: Pairs): SafeHtml {
  return html`<dl class="facts">
    ${pairs.map(([name, value]) => renderFact(visibleText(name), visibleText(redactor.value(name, value))))}
  </dl>`;
}

function renderFact(name: string, value: string): SafeHtml {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

/** By the rule for URLs: whether a parameter is secret can depend on its neighbours and on the path. */
function redactPairs(url: string, pairs: Pairs): Pairs {
  if (pairs.length === 0) return pairs;
  const path = url.split('?', 1)[0] ?? '';
  const clean = redactor.url(`${path}?${new URLSearchParams(pairs.map(([name, value]) => [name, value]))}`);
  return [...new URLSearchParams(clean.slice(clean.lastIndexOf('?') + 1))];
}

/** A body is JSON, a form, or text; each has its own places for secrets. */
export function redactBody(body: string): string {
  const start = body.trimStart();
  if (start.startsWith('{') || start.startsWith('[')) return redactor.json(body);
  return /^[^\s=&]+=[^\s]*$/.test(body) ? redactor.query(body) : redactor.text(body);
}
