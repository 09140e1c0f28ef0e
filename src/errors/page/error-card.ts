import { renderPicture } from '#dump';
import { html, type SafeHtml, visibleText } from '#html';
import type { EditorLinker } from '../present/editor-link.js';
import type { ErrorReport, ReportedChain, ReportedError } from '../report/error-report.js';
import { renderFrameList } from './frame-list.js';
import { renderLongText } from './long-text.js';

/** What a card is drawn with. */
export interface ErrorCardOptions {
  readonly origin: ErrorReport['origin'];
  readonly editor: EditorLinker;
  /** How many errors stand in the chain. */
  readonly count: number;
}

/** One error of the chain: number, class, message, calls with code, own data, and the errors it gathered. */
export function renderErrorCard(error: ReportedError, options: ErrorCardOptions): SafeHtml {
  const { origin, editor } = options;
  const { label, circularTo } = error;
  const open =
    origin?.error === label ? origin.frame : error.frames.find((frame) => frame.excerpt !== undefined)?.index;
  const again =
    circularTo !== undefined &&
    html`<p class="frame-note">
      Its cause is <a href="#error-${circularTo}">error ${circularTo}</a> again: the chain is a circle.
    </p>`;
  return html`<section
    class="card error${error.isOuter && ' outer'}"
    id="error-${label}"
    aria-labelledby="title-${label}"
  >
    ${renderHead(error, options.count)}${renderLongText(error.message, 'No message was given.')}${again}
    ${renderFrameList(error, open, editor)}${renderProperties(error)}${renderGathered(error, editor)}
  </section>`;
}

function renderHead(error: ReportedError, count: number): SafeHtml {
  const { label, code, isOuter } = error;
  return html`<header class="error-head">
    <h3 id="title-${label}">
      <span class="number">${label}</span>
      <span class="class">${visibleText(error.class)}</span>
    </h3>
    ${code !== undefined && html`<code class="chip">${visibleText(code)}</code>`}
    ${count > 1 && error.number === 1 && !isOuter && html`<span class="tag">where it began</span>`}
    ${isOuter && html`<span class="tag seen">what the client saw</span>`}
  </header>`;
}

function renderProperties({ properties, isNoError }: ReportedError): SafeHtml | null {
  if (properties === undefined) return null;
  return html`<div class="properties">
    <h4>${isNoError === true ? 'The thrown value' : 'Data of the error'}</h4>
    ${renderPicture(properties, isNoError === true ? 2 : 1)}
  </div>`;
}

function renderGathered(error: ReportedError, editor: EditorLinker): SafeHtml | null {
  const { children = [], moreChildren } = error;
  if (children.length === 0 && moreChildren === undefined) return null;
  return html`<div class="gathered">
    <h4>Errors gathered here</h4>
    <ol>
      ${children.map((chain, index) => html`<li>${renderGatheredChain(chain, editor, index)}</li>`)}
    </ol>
    ${moreChildren !== undefined && html`<p class="frame-note">… ${moreChildren} more, left out</p>`}
  </div>`;
}

function renderGatheredChain({ errors }: ReportedChain, editor: EditorLinker, index: number): SafeHtml {
  const outer = errors.at(-1);
  if (outer === undefined) return html`<p class="frame-note">An error shown above.</p>`;
  const cards = errors.map((error) =>
    renderErrorCard(error, { origin: undefined, editor, count: errors.length }),
  );
  const summary = html`<summary>
    <span class="number">${outer.label}</span>
    <b>${visibleText(outer.class)}</b> ${visibleText(outer.message.slice(0, 200))}
  </summary>`;
  return index === 0
    ? html`<details open>${summary}${cards}</details>`
    : html`<details>${summary}${cards}</details>`;
}
