import type { ComponentChildren, VNode } from 'preact';
import { snapshotStyles } from '#core/dump';
import {
  baseStyles,
  BrandMark,
  contentSecurityPolicy,
  renderDocument,
  safeUrl,
  themeScript,
  visibleText,
} from '#core/html';
import { say } from '#core/phrases';
import { createEditorLinker } from '../present/editor-link.js';
import { findHints } from '../present/find-hints.js';
import { isDeclaration } from '../present/lead-error.js';
import { headline, locationOfFrame, renderErrorMarkdown } from '../present/render-report.js';
import type {
  ErrorPageContext,
  ErrorReport,
  ReportedChain,
  ReportedError,
  ReportedFrame,
} from '../report/error-report.js';
import { statusText } from '../status/http-errors.js';
import { LogSection, RequestLine, RequestSection, RoutingHints, RoutingSection } from './context-sections.js';
import { CallSection, HistoryFacts, StatementSection } from './failure-sections.js';
import { ErrorChain, headOf, LongText } from './error-chain.js';
import { FrameList } from './frame-list.js';
import { chainStyles, pageScript, pageStyles } from './page-assets.js';
import { ForeignText, PageSection } from './page-parts.js';

const assets = [baseStyles, snapshotStyles, chainStyles, pageStyles, pageScript];

/** The page's content security policy: allows only its own styles and scripts, by hash. */
export const errorPagePolicy: string = contentSecurityPolicy({
  assets: [...assets, themeScript],
  images: 'data',
});

/** Renders an error's debug page. Send it with `errorPagePolicy`. */
export function renderErrorPage(report: ErrorReport, context: ErrorPageContext = {}): string {
  const title = visibleText(`${report.status} ${headline(report)}`.slice(0, 150));
  return renderDocument(<Body report={report} context={context} />, {
    lang: 'en',
    title,
    assets,
    headScripts: [themeScript],
    hasBrandIcon: true,
  });
}

interface PageProps {
  report: ErrorReport;
  context: ErrorPageContext;
}

function Body({ report, context }: PageProps): ComponentChildren {
  const { request, logs = [], moreLogs, routing, controller } = context;
  const editor = createEditorLinker(context.editor);
  const tried = routing?.tried ?? 0;
  return (
    <div class={report.status < 500 ? 'fail s4' : 'fail'}>
      <a class="skip-link" href="#errors">
        Skip to the errors
      </a>
      <TopBar record={context.record} />
      <main class="wrap">
        <Lead report={report} context={context} />
        {context.history !== undefined && <HistoryFacts history={context.history} />}
        {context.statement !== undefined && <StatementSection statement={context.statement} />}
        {context.call !== undefined && <CallSection call={context.call} editor={editor} />}
        {tried > 0 && <RoutingSection near={routing?.near ?? []} tried={tried} />}
        {controller !== undefined && !namesApplication(report) && (
          <PageSection id="controller" title="The controller">
            <FrameList
              stack={{ frames: [controller] }}
              open={controller.index}
              editor={editor}
              isDeclaration
            />
          </PageSection>
        )}
        <ErrorChain report={report} editor={editor} isTitled isDataFolded={context.statement !== undefined} />
        <LogSection logs={logs} more={moreLogs} />
        {request !== undefined && <RequestSection request={request} />}
        <PageSection id="as-markdown" title="As Markdown">
          <details>
            <summary>The whole report, for an issue or an assistant</summary>
            <ForeignText id="markdown" name="The report as Markdown">
              {renderErrorMarkdown(report, context)}
            </ForeignText>
          </details>
        </PageSection>
      </main>
      <footer>
        <div class="wrap">
          This page is shown because debug mode is on. Without it, only the status is sent.
        </div>
      </footer>
      <div class="status" role="status" data-status={`Copied.|Selected: copy it with your keyboard.`} />
    </div>
  );
}

/** Whether any error, including aggregated ones, has a frame in the application. */
function namesApplication({ errors }: ReportedChain): boolean {
  return errors.some(
    ({ frames, children }) =>
      frames.some(({ kind }) => kind === 'app') || children?.some(namesApplication) === true,
  );
}

/** The top bar: brand, theme switch, copy button and the link to the profiler record. */
function TopBar({ record }: { record: ErrorPageContext['record'] }): VNode {
  return (
    <header class="top">
      <span class="brand">
        <BrandMark /> lookback
      </span>
      <button type="button" class="button" data-theme-toggle="" data-script="" hidden>
        Theme
      </button>
      <button type="button" class="button" data-copy="markdown" data-script="" hidden>
        Copy as Markdown
      </button>
      {record !== undefined && (
        <a class="button primary" href={safeUrl(record.link)}>
          {say('Open record {token}', { token: visibleText(record.token) })}
        </a>
      )}
    </header>
  );
}

/** Summarises the failure: status, request, outer message, throw location, and hints. */
function Lead({ report, context: { request, routing } }: PageProps): VNode {
  const { status } = report;
  const isClients = status < 500;
  const gathered = report.errors.at(-1)?.children?.length ?? 0;
  const origin = originOf(report);
  // The message is the outermost error's, while the location may be an inner error's.
  const isOwnLocation = origin?.error.label === report.errors.at(-1)?.label;
  return (
    <>
      <div class="lead">
        <span class={isClients ? 'chip warn' : 'chip err'}>
          {isClients ? '!' : '✕'} {status} {statusText(status)}
        </span>
        {request !== undefined && (
          <RequestLine request={request} url={request.url.replace(/^https?:\/\/[^/]+/, '')} />
        )}
        <h1 class={headOf(report.message).length > 180 ? 'long' : undefined}>
          <LongText
            text={report.message}
            empty={say('{class} without a message', { class: visibleText(report.class) })}
          />
        </h1>
        <p class="small">
          <b>{visibleText(report.class)}</b>
          {gathered > 0 && say(' with 1 error| with {n} errors', { n: gathered })}
          {origin !== undefined && (
            <>
              {isDeclaration(origin.error)
                ? ', declared in '
                : isOwnLocation
                  ? ', thrown in '
                  : ', began in '}
              <a class="mono" href={`#error-${origin.error.label}`}>
                {locationOfFrame({ ...origin.frame, column: 0 })}
              </a>
            </>
          )}
        </p>
      </div>
      <Hints routing={routing} report={report} />
    </>
  );
}

/** The application's call that the report names as the origin, and the label of its error. */
function originOf({
  origin,
  errors,
}: ErrorReport): { readonly error: ReportedError; readonly frame: ReportedFrame } | undefined {
  const error = findError(errors, origin?.error);
  const frame = error?.frames.find(({ index, kind }) => index === origin?.frame && kind === 'app');
  return error === undefined || frame === undefined ? undefined : { error, frame };
}

/** Finds an error by its label, including aggregated errors. */
function findError(errors: ErrorReport['errors'], wanted: string | undefined): ReportedError | undefined {
  for (const error of errors) {
    if (error.label === wanted) return error;
    for (const child of error.children ?? []) {
      const found = findError(child.errors, wanted);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function Hints(props: { routing: ErrorPageContext['routing']; report: ErrorReport }): ComponentChildren {
  const { routing, report } = props;
  const hints = findHints(report);
  const hasRouting = (routing?.didYouMean ?? []).length > 0 || (routing?.allow ?? []).length > 0;
  if (hints.length === 0 && !hasRouting) return null;
  return (
    <div class="hints" role="note" aria-label="What may help">
      {routing !== undefined && <RoutingHints routing={routing} />}
      {hints.map((hint) => (
        <p>{visibleText(hint)}</p>
      ))}
    </div>
  );
}
