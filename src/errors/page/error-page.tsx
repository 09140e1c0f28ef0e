import type { ComponentChildren, VNode } from 'preact';
import { headline } from '../present/render-stack-text.js';
import { pictureStyles } from '#dump';
import {
  baseStyles,
  brandPath,
  contentSecurityPolicy,
  renderDocument,
  themeScript,
  visibleText,
} from '#html';
import { chooseLanguage, inLanguage } from '#phrases';
import { createEditorLinker } from '../present/editor-link.js';
import type { ErrorPageContext } from '../report/error-page-context.js';
import type { ErrorReport } from '../report/error-report.js';
import { shortenReport } from '../present/shorten-report.js';
import { renderErrorMarkdown } from '../present/render-error-markdown.js';
import { chainStyles } from './chain-styles.js';
import { ErrorChain } from './error-chain.js';
import { FrameList, StackSection } from './frame-list.js';
import { Hero, TopBar } from './hero.js';
import { LogSection } from './log-section.js';
import { ForeignText, PageSection } from './page-parts.js';
import { pageScript } from './page-script.js';
import { pageStyles } from './page-styles.js';
import { RequestSection } from './request-section.js';
import { RoutingSection } from './routing-section.js';
import { pageText } from './error-page-text.js';

const assets = [baseStyles, pictureStyles, chainStyles, pageStyles, pageScript];

/** Content security policy of the page: allows only its own styles and scripts, by hash. */
export const errorPagePolicy: string = contentSecurityPolicy({
  assets: [...assets, themeScript],
  images: 'data',
});

/** Renders the debug page of an error in the best available language for the request. Send it with `errorPagePolicy`. */
export function renderErrorPage(report: ErrorReport, context: ErrorPageContext = {}): string {
  const title = visibleText(`${report.status} ${headline(report)}`.slice(0, 150));
  const [, accepted] = context.request?.headers.find(([name]) => /^accept-language$/i.test(name)) ?? [];
  const lang = chooseLanguage(accepted);
  return inLanguage(lang, () =>
    renderDocument(<Body report={report} context={context} />, {
      lang,
      title,
      assets,
      headScripts: [themeScript],
      icon: brandPath,
    }),
  );
}

function Body({ report, context }: { report: ErrorReport; context: ErrorPageContext }): ComponentChildren {
  const { request, logs = [], moreLogs, routing, controller } = context;
  const editor = createEditorLinker(context.editor);
  const isForeign = !report.errors.some(({ frames }) => frames.some(({ kind }) => kind === 'app'));
  const trace = routing?.trace ?? [];
  return (
    <>
      <a class="skip-link" href="#errors">
        {pageText('Skip to the errors')}
      </a>
      <TopBar record={context.record} />
      <main>
        <Hero report={report} context={context} />
        <div class="wrap">
          <nav class="jump" aria-label={pageText('Sections')}>
            {trace.length > 0 && <a href="#routing">{pageText('Routes')}</a>}{' '}
            <a href="#errors">{pageText('Errors')}</a> <a href="#stack">{pageText('Stack trace')}</a>{' '}
            <a href="#log">{pageText('Log')}</a>{' '}
            {request !== undefined && <a href="#request">{pageText('Request')}</a>}{' '}
            <a href="#as-markdown">{'Markdown'}</a>
          </nav>
          {trace.length > 0 && <RoutingSection trace={trace} />}
          {isForeign && controller !== undefined && (
            <PageSection id="controller" title={pageText('The controller')}>
              <div class="card">
                <FrameList stack={{ frames: [controller] }} open={controller.index} editor={editor} />
              </div>
            </PageSection>
          )}
          <ErrorChain report={report} editor={editor} />
          <StackSection report={shortenReport(report)} />
          <LogSection logs={logs} more={moreLogs} />
          {request !== undefined && <RequestSection request={request} />}
          <MarkdownSection markdown={renderErrorMarkdown(report, context)} />
        </div>
      </main>
      <footer>
        <div class="wrap">
          {pageText('This page is shown because debug mode is on. Without it, only the status is sent.')}
        </div>
      </footer>
      <div
        class="status"
        role="status"
        data-status={`${pageText('Copied.')}|${pageText('Selected: copy it with your keyboard.')}`}
      />
    </>
  );
}

function MarkdownSection({ markdown }: { markdown: string }): VNode {
  return (
    <PageSection id="as-markdown" title={pageText('As Markdown')}>
      <details class="card pad">
        <summary>{pageText('The whole report, for an issue or an assistant')}</summary>
        <ForeignText id="markdown" name={pageText('The report as Markdown')}>
          {markdown}
        </ForeignText>
      </details>
    </PageSection>
  );
}
