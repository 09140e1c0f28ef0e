import type { ComponentChildren, VNode } from 'preact';
import { createRedactor } from '#dump';
import { embed, renderFragment, type SafeHtml, safeUrl, visibleText } from '#html';
import type { ErrorPageContext } from '../error-page-context.js';
import type { ErrorReport } from '../error-report.js';
import { statusText } from '../status-text.js';
import { Icon } from './icons.js';
import { RoutingHints } from './routing-section.js';

const redactor = createRedactor();
/** Characters and lines of the heading; the rest opens below it. */
const headingCharacters = 700;
const headingLines = 12;

/** The bar above everything: whose page this is, and what can be done with the report. */
export function TopBar({ record }: { record: ErrorPageContext['record'] }): VNode {
  return (
    <header class="top no-print">
      <div class="wrap">
        {embed((tools ??= renderFragment(<Tools />)))}
        {record !== undefined && (
          <a class="button primary" href={safeUrl(record.link)}>
            <Icon name="record" /> Open record {visibleText(record.token)}
          </a>
        )}
      </div>
    </header>
  );
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

interface HeroProps {
  report: ErrorReport;
  context: ErrorPageContext;
  hints: readonly string[];
}

/** Status, class and the outer message as the page's heading, the request, and what may help. */
export function Hero({ report, context, hints }: HeroProps): VNode {
  const { status } = report;
  const { request, routing } = context;
  const tone = status < 500 ? 'warn' : 'err';
  const helps =
    hints.length > 0 || (routing?.didYouMean ?? []).length > 0 || (routing?.allow ?? []).length > 0;
  return (
    <div class={status < 500 ? 'hero s4' : 'hero'}>
      <div class="wrap">
        <p class="hero-line">
          <span class={`chip ${tone}`}>
            <Icon name="fault" /> {status} {statusText(status)}
          </span>
          <span class="class">{visibleText(report.class)}</span>
        </p>
        <Heading
          text={visibleText(report.message)}
          fallback={`${visibleText(report.class)} without a message`}
        />
        {request !== undefined && (
          <p class="request-line">
            <b>{visibleText(request.method)}</b> {visibleText(redactor.url(request.url))}
          </p>
        )}
        {helps && (
          <div class="hints" role="note" aria-label="What may help">
            {routing !== undefined && <RoutingHints routing={routing} />}
            {hints.map((hint) => (
              <p>
                <Icon name="hint" /> <span>{visibleText(hint)}</span>
              </p>
            ))}
          </div>
        )}
      </div>
    </div>
  );
}

function Heading({ text, fallback }: { text: string; fallback: string }): ComponentChildren {
  const head = text.split('\n', headingLines).join('\n').slice(0, headingCharacters);
  const name = head.length > 180 ? 'long' : '';
  if (head.length === text.length) return <h1 class={name}>{text === '' ? fallback : text}</h1>;
  return (
    <>
      <h1 class={name}>{head}…</h1>
      <details class="message">
        <summary>Show the whole message ({text.length.toLocaleString('en')} characters)</summary>
        <pre class="plain" tabIndex={0} role="region" aria-label="The whole message">
          {text}
        </pre>
      </details>
    </>
  );
}
