import type { ComponentChildren } from 'preact';
import { embed, html, type SafeHtml, visibleText } from '#html';
import type { EditorLinker } from '../present/editor-link.js';
import type { ErrorReport, ReportedError } from '../report/error-report.js';
import { renderErrorCard } from './error-card.js';

/** The errors of a report, inner first, each with its calls and code. Needs `chainStyles` and `pictureStyles` on the page. */
export function ErrorChain({
  report,
  editor,
}: {
  report: ErrorReport;
  editor: EditorLinker;
}): ComponentChildren {
  return embed(renderErrorChain(report, editor));
}

/** The same as markup. */
export function renderErrorChain(report: ErrorReport, editor: EditorLinker): SafeHtml {
  const { errors, more, origin } = report;
  const options = { origin, editor, count: errors.length };
  const left =
    more !== undefined && html`<p class="frame-note">… ${more} more causes further inside, left out</p>`;
  return html`<section id="errors" aria-labelledby="errors-title">
    <h2 id="errors-title">
      ${errors.length > 1 ? 'Errors, inner first' : 'Error'}
      <span class="count">${errors.length + (more ?? 0)}</span>
    </h2>
    ${left}
    ${
      errors.length > 1 &&
      html`<ol class="chain card">
        ${errors.slice(0, 50).map(renderLink)}
      </ol>`
    }
    ${errors.map((error) => renderErrorCard(error, options))}
  </section>`;
}

function renderLink(error: ReportedError): SafeHtml {
  const seen = error.isOuter && html`<span class="tag seen">what the client saw</span>`;
  return html`<li>
    <a href="#error-${error.label}" class="${error.isOuter && 'is-outer'}">
      <span class="number">${error.label}</span>
      <span><b>${visibleText(error.class)}</b> ${seen}</span>
      <span class="text">${visibleText(error.message.slice(0, 300))}</span>
    </a>
  </li>`;
}
