import { headline } from '../present/headline.js';
import { pictureStyles } from '#dump';
import {
  baseStyles,
  brandPath,
  contentSecurityPolicy,
  html,
  renderDocument,
  type SafeHtml,
  themeScript,
  visibleText,
} from '#html';
import { createEditorLinker } from '../present/editor-link.js';
import type { ErrorPageContext } from '../report/error-page-context.js';
import type { ErrorReport } from '../report/error-report.js';
import { findHints } from '../present/find-hints.js';
import { renderErrorMarkdown } from '../present/render-error-markdown.js';
import { chainStyles } from './chain-styles.js';
import { renderErrorChain } from './error-chain.js';
import { renderHero, renderTopBar } from './hero.js';
import { renderLogSection } from './log-section.js';
import { pageScript } from './page-script.js';
import { pageStyles } from './page-styles.js';
import { renderRequestSection } from './request-section.js';
import { renderRoutingSection } from './routing-section.js';
import { renderStackSection } from './stack-section.js';

const assets = [baseStyles, pictureStyles, chainStyles, pageStyles, pageScript];

/** The policy the page is sent with: its own styles and scripts by hash, nothing else. */
export const errorPagePolicy: string = contentSecurityPolicy({
  assets: [...assets, themeScript],
  images: 'data',
});

/** The debug page of an error: a whole HTML document. Send it with `errorPagePolicy`. */
export function renderErrorPage(report: ErrorReport, context: ErrorPageContext = {}): string {
  const title = visibleText(`${report.status} ${headline(report)}`.slice(0, 150));
  return renderDocument(renderBody(report, context), {
    lang: 'en',
    title,
    assets,
    headScripts: [themeScript],
    icon: brandPath,
    ...(context.theme === undefined ? {} : { theme: context.theme }),
  });
}

function renderBody(report: ErrorReport, context: ErrorPageContext): SafeHtml {
  const { request, logs = [], routing } = context;
  const trace = routing?.trace ?? [];
  const sections = [
    renderErrorChain(report, createEditorLinker(context.editor)),
    renderStackSection(report),
    renderLogSection(logs, context.moreLogs),
    trace.length > 0 && renderRoutingSection(trace),
    request !== undefined && renderRequestSection(request),
    renderMarkdownSection(renderErrorMarkdown(report, context)),
  ];
  return html`<a class="skip-link" href="#errors">Skip to the errors</a>
    ${renderTopBar(context.record)}
    <main>
      ${renderHero(report, context, findHints(report))}
      <div class="wrap">
        <nav class="jump" aria-label="Sections">
          <a href="#errors">Errors</a>
          <a href="#stack">Stack trace</a>
          <a href="#log">Log</a>
          ${trace.length > 0 && html`<a href="#routing">Routes</a>`}
          ${request !== undefined && html`<a href="#request">Request</a>`}
          <a href="#as-markdown">Markdown</a>
        </nav>
        ${sections}
      </div>
    </main>
    <footer>
      <div class="wrap">
        This page is shown because debug mode is on. Without it, only the status is sent.
      </div>
    </footer>
    <div class="status" role="status" data-status=""></div>`;
}

function renderMarkdownSection(markdown: string): SafeHtml {
  return html`<section id="as-markdown" aria-labelledby="markdown-title">
    <h2 id="markdown-title">As Markdown</h2>
    <details class="card pad">
      <summary>The whole report, for an issue or an assistant</summary>
      <pre class="plain" id="markdown" tabindex="0" role="group" aria-label="The report as Markdown">
${markdown}</pre>
    </details>
  </section>`;
}
