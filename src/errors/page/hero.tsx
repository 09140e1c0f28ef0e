import type { ComponentChildren, VNode } from 'preact';
import { createRedactor } from '#dump';
import { safeUrl, visibleText } from '#html';
import type { ErrorPageContext } from '../report/error-page-context.js';
import type { ErrorReport } from '../report/error-report.js';
import { findHints } from '../present/find-hints.js';
import { statusText } from '../status/status-text.js';
import { headOf } from './error-card.js';
import { ErrorPageIcon, ForeignText } from './page-parts.js';
import { RoutingHints } from './routing-section.js';
import { pageText, knownText } from './error-page-text.js';

const redactor = createRedactor();

/** The top bar: brand, theme switch, copy buttons and the link to the profiler record. */
export function TopBar({ record }: { record: ErrorPageContext['record'] }): VNode {
  return (
    <header class="top">
      <div class="wrap">
        <span class="brand">
          <ErrorPageIcon name="back" /> lookback
        </span>
        <button
          type="button"
          class="button"
          data-theme-toggle={`${pageText('Theme: system')}|${pageText('Theme: light')}|${pageText('Theme: dark')}`}
          data-script=""
          hidden
        >
          <ErrorPageIcon name="theme" />
        </button>
        <button type="button" class="button" data-copy="markdown" data-script="" hidden>
          <ErrorPageIcon name="copy" /> {pageText('Copy Markdown')}
        </button>
        <button type="button" class="button" data-copy="stack-text" data-script="" hidden>
          <ErrorPageIcon name="copy" /> {pageText('Copy stack')}
        </button>
        {record !== undefined && (
          <a class="button primary" href={safeUrl(record.link)}>
            <ErrorPageIcon name="record" />{' '}
            {pageText('Open record {token}', { token: visibleText(record.token) })}
          </a>
        )}
      </div>
    </header>
  );
}

interface HeroProps {
  report: ErrorReport;
  context: ErrorPageContext;
}

/** The head of the page: status, class, outer message, request line and hints. */
export function Hero({ report, context: { request, routing } }: HeroProps): VNode {
  const { status } = report;
  const isClients = status < 500;
  return (
    <div class={isClients ? 'hero s4' : 'hero'}>
      <div class="wrap">
        <p class="hero-line">
          <span class={isClients ? 'chip warn' : 'chip err'}>
            <ErrorPageIcon name={isClients ? 'refusal' : 'fault'} /> {status} {statusText(status)}
          </span>{' '}
          <span class="class">{visibleText(report.class)}</span>
        </p>
        <Heading
          text={visibleText(report.message)}
          fallback={pageText('{class} without a message', { class: visibleText(report.class) })}
        />
        {request !== undefined && <RequestLine request={request} />}
        <Hints routing={routing} hints={findHints(report)} />
      </div>
    </div>
  );
}

/** Method and redacted URL; white space is kept as it is. */
export function RequestLine({ request }: { request: NonNullable<ErrorPageContext['request']> }): VNode {
  return (
    <p class="request-line">
      <b>{visibleText(request.method)}</b> {visibleText(redactor.url(request.url))}
    </p>
  );
}

function Hints(props: { routing: ErrorPageContext['routing']; hints: readonly string[] }): ComponentChildren {
  const { routing, hints } = props;
  const hasRouting = (routing?.didYouMean ?? []).length > 0 || (routing?.allow ?? []).length > 0;
  if (hints.length === 0 && !hasRouting) return null;
  return (
    <div class="hints" role="note" aria-label={pageText('What may help')}>
      {routing !== undefined && <RoutingHints routing={routing} />}
      {hints.map((hint) => (
        <p>
          <ErrorPageIcon name="hint" /> <span>{visibleText(knownText(hint))}</span>
        </p>
      ))}
    </div>
  );
}

function Heading({ text, fallback }: { text: string; fallback: string }): ComponentChildren {
  const head = headOf(text); // the full message can be expanded below the heading
  const name = head.length > 180 ? 'long' : '';
  if (head.length === text.length) return <h1 class={name}>{text === '' ? fallback : text}</h1>;
  return (
    <>
      <h1 class={name}>{head}…</h1>
      <details class="message">
        <summary>{pageText('Show the whole message ({n} characters)', { n: text.length })}</summary>
        <ForeignText name={pageText('The whole message')}>{text}</ForeignText>
      </details>
    </>
  );
}
