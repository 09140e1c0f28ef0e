import type { ComponentChildren } from 'preact';
import { createRedactor } from '#dump';
import { html, renderFragment, type SafeHtml, safeUrl, visibleText } from '#html';
import type { ErrorPageContext } from '../report/error-page-context.js';
import type { ErrorReport } from '../report/error-report.js';
import { statusText } from '../status/status-text.js';
import { Icon, renderIcon } from './icons.js';
import { renderRoutingHints } from './routing-section.js';

const redactor = createRedactor();
/** Characters and lines of the heading; the rest opens below it. */
const headingCharacters = 700;
const headingLines = 12;

/** The bar above everything: whose page this is, and what can be done with the report. */
export function renderTopBar(record: ErrorPageContext['record']): SafeHtml {
  const open =
    record !== undefined &&
    html`<a class="button primary" href="${safeUrl(record.link)}">
      ${renderIcon('record')} Open record ${visibleText(record.token)}
    </a>`;
  return html`<header class="top no-print">
    <div class="wrap">${(tools ??= renderFragment(<Tools />))}${open}</div>
  </header>`;
}

/** The same on every page. */
let tools: SafeHtml | undefined;

function Tools(): ComponentChildren {
  return (
    <>
      <span class="brand">
        <Icon name="back" /> lookback
      </span>
      <button type="button" class="button" data-theme-toggle="" data-script="" hidden title="Light or dark">
        <Icon name="theme" /> <span class="visually-hidden">Light or dark</span>
      </button>
      <button type="button" class="button" data-copy="markdown" data-script="" hidden>
        <Icon name="copy" /> Copy Markdown
      </button>
      <button type="button" class="button" data-copy="stack-text" data-script="" hidden>
        <Icon name="copy" /> Copy stack
      </button>
    </>
  );
}

/** Status, class and the outer message as the page's heading, the request, and what may help. */
export function renderHero(
  report: ErrorReport,
  context: ErrorPageContext,
  hints: readonly string[],
): SafeHtml {
  const { status } = report;
  const { request } = context;
  const isClients = status < 500;
  return html`<div class="hero${isClients && ' s4'}">
    <div class="wrap">
      <p class="hero-line">
        <span class="chip ${isClients ? 'warn' : 'err'}"
          >${renderIcon(isClients ? 'refusal' : 'fault')} ${status} ${statusText(status)}</span
        >
        <span class="class">${visibleText(report.class)}</span>
      </p>
      ${renderHeading(visibleText(report.message), `${visibleText(report.class)} without a message`)}
      ${request !== undefined && renderRequestLine(request)} ${renderHelp(context.routing, hints)}
    </div>
  </div>`;
}

/** Method and URL, in which every space counts. */
export function renderRequestLine({ method, url }: NonNullable<ErrorPageContext['request']>): SafeHtml {
  const line = [html`<b>${visibleText(method)}</b>`, ' ', visibleText(redactor.url(url))];
  return html`<p class="request-line">${line}</p>`;
}

function renderHelp(routing: ErrorPageContext['routing'], hints: readonly string[]): SafeHtml | null {
  const hasRouting = (routing?.didYouMean ?? []).length > 0 || (routing?.allow ?? []).length > 0;
  if (hints.length === 0 && !hasRouting) return null;
  const sentences = hints.map((hint) => html`<p>${renderIcon('hint')} <span>${visibleText(hint)}</span></p>`);
  return html`<div class="hints" role="note" aria-label="What may help">
    ${routing !== undefined && renderRoutingHints(routing)}${sentences}
  </div>`;
}

function renderHeading(text: string, fallback: string): SafeHtml {
  const head = text.split('\n', headingLines).join('\n').slice(0, headingCharacters);
  const name = head.length > 180 ? 'long' : '';
  if (head.length === text.length) return html`<h1 class="${name}">${text === '' ? fallback : text}</h1>`;
  return html`<h1 class="${name}">${head}…</h1>
    <details class="message">
      <summary>Show the whole message (${text.length.toLocaleString('en')} characters)</summary>
      <pre class="plain" tabindex="0" role="group" aria-label="The whole message">${text}</pre>
    </details>`;
}
