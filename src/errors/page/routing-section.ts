import { html, renderFragment, type SafeHtml, safeUrl, visibleText } from '#html';
import type { ErrorPageContext, PageRouteTrace } from '../report/error-page-context.js';

type Routing = NonNullable<ErrorPageContext['routing']>;

const mostRoutes = 100;

/** "Did you mean", the allowed methods: what the reader most likely came for, above everything else. */
export function renderRoutingHints({ didYouMean = [], allow = [] }: Routing): SafeHtml {
  const paths = didYouMean
    .slice(0, 8)
    .map(
      ({ name, path }) => html`<li>${renderPath(path)} <span class="muted">${visibleText(name)}</span></li>`,
    );
  const methods = allow.map((method) => html`<code class="chip">${visibleText(method)}</code>`);
  return html`${
    paths.length > 0 &&
    html`<div class="hint-block">
      <h2>Did you mean</h2>
      <ul>
        ${paths}
      </ul>
    </div>`
  }${
    methods.length > 0 &&
    html`<div class="hint-block">
      <h2>Allowed here</h2>
      <p>${methods}</p>
    </div>`
  }`;
}

/** A path without parameters can be followed. */
function renderPath(path: string): SafeHtml {
  const isLink = path.startsWith('/') && !path.startsWith('//') && !/[{}:*\\]/.test(path);
  const text = visibleText(path);
  return isLink ? html`<a class="mono" href="${safeUrl(path)}">${text}</a>` : html`<code>${text}</code>`;
}

/** Every route that was tried and why it did not match; those that came near first. */
export function renderRoutingSection(trace: readonly PageRouteTrace[]): SafeHtml {
  const sorted = [...trace].sort((one, other) => Number(other.near === true) - Number(one.near === true));
  const hasMethods = sorted.some((row) => row.methods.length > 0);
  const rest = sorted.length - mostRoutes;
  return html`<section id="routing" aria-labelledby="routing-title">
    <h2 id="routing-title">Routes that were tried <span class="count">${trace.length}</span></h2>
    <div class="card scroll" tabindex="0" role="region" aria-label="Table of the routes that were tried">
      <table>
        <thead>
          <tr>
            <th scope="col">Route</th>
            <th scope="col">Path</th>
            ${hasMethods && html`<th scope="col">Methods</th>`}
            <th scope="col">Why not</th>
          </tr>
        </thead>
        <tbody>
          ${sorted.slice(0, mostRoutes).map(hasMethods ? renderWideRow : keptRow)}
        </tbody>
      </table>
    </div>
    ${rest > 0 && html`<p class="frame-note">… ${rest} more routes, left out</p>`}
  </section>`;
}

/** Rows without methods, by the row. */
const kept = new WeakMap<PageRouteTrace, SafeHtml>();

function keptRow(row: PageRouteTrace): SafeHtml {
  let markup = kept.get(row);
  if (markup === undefined) kept.set(row, (markup = renderFragment(renderRow(row, null))));
  return markup;
}

function renderWideRow(row: PageRouteTrace): SafeHtml {
  return renderRow(row, html`<td class="mono">${visibleText(row.methods.join(', ')) || 'any'}</td>`);
}

function renderRow(row: PageRouteTrace, methods: SafeHtml | null): SafeHtml {
  const near = row.near === true;
  return html`<tr class="${near && 'near'}">
    <th scope="row">${visibleText(row.name)}</th>
    <td class="mono">${visibleText(row.path)}</td>
    ${methods}
    <td>${near && html`<span class="chip warn">near</span>`} ${visibleText(row.reason)}</td>
  </tr>`;
}
