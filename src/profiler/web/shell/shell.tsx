import type { ComponentChildren, VNode } from 'preact';
import {
  BrandMark,
  type InlineAsset,
  contentSecurityPolicy,
  renderDocument,
  renderFragment,
  themeScript,
  visiblePage,
  visibleText,
  createScriptAsset,
} from '#core/html';
import { type HttpRequest, HttpResponse } from '#core/http';
import { createScopeKey, currentScope, runInScope, type ScopeKey } from '#core/scope';
import type { Tone } from '../../view/block.js';
import type { ProfilerLinks } from '../site/links.js';
import { stylesFor } from './profiler-styles.js';
import { protectResponse } from '../access/protect-response.js';
import { Icon, icons } from '../blocks/controls.js';
import { Hatches } from '../blocks/request-bar.js';
import { readFileSync } from 'node:fs';

/** The current page's frame: side pane, or top bar with the error count. */
const frameKey: ScopeKey<{ readonly isPane: boolean; readonly errors: number }> = createScopeKey(
  'the frame of the profiler’s page',
);

/** Shows a page, after noting for its shell whether the browser loads it in the pane, and the error count if not. */
export async function showFramed(
  { headers, scope }: HttpRequest,
  show: () => Promise<HttpResponse>,
  countErrors: () => Promise<number>,
): Promise<HttpResponse> {
  const isPane =
    headers.get('sec-fetch-dest') === 'iframe' && headers.get('sec-fetch-site') === 'same-origin';
  scope.set(frameKey, { isPane, errors: isPane ? 0 : await countErrors().catch(() => 0) });
  return runInScope(scope, show);
}

/** Returns whether the page being rendered is shown in the side pane, without its own header. */
export function isInPane(): boolean {
  return currentScope()?.get(frameKey)?.isPane ?? false;
}

export interface ShellOptions {
  readonly title: string;
  readonly links: ProfilerLinks;
  /** The current page's header entry. */
  readonly current?: 'list' | 'routes' | 'errors';
  /** The search field's text and suggestions; only on the list. */
  readonly search?: { readonly text: string; readonly suggestions: readonly string[] };
  /** Whether the page has request rows, for a second skip link. */
  readonly hasRows?: boolean;
  readonly status?: number;
  /** The browser tab icon's tone. */
  readonly tone?: Tone;
}

/** Icon colours for records with problems; otherwise the brand colours. */
const iconColours: Readonly<Partial<Record<Tone, string>>> = { warn: '#d29922', error: '#e5484d' };

/** Renders a profiler page: shell, styles and scripts (allowed by hash), and the security headers that every debug page gets. */
export function renderShell(content: VNode, options: ShellOptions): HttpResponse {
  const isPane = isInPane();
  const iconColour = iconColours[options.tone ?? 'neutral'];
  const body = renderFragment(<Shell options={options}>{content}</Shell>);
  const markup = body.toString();
  const scripts = pageScripts.flatMap(([marker, script]) => (markup.includes(marker) ? [script] : []));
  const assets = [...stylesFor(markup), ...scripts];
  const html = renderDocument(body, {
    lang: 'en',
    title: visibleText(`${options.title} · lookback`),
    assets,
    headScripts: [themeScript],
    hasBrandIcon: true,
    ...(iconColour === undefined ? {} : { iconColour }),
    ...(isPane ? { bodyClass: 'is-pane' } : {}),
  });
  // A list has hundreds of them, and SVG needs no end tags. In texts, `<` is escaped.
  const short = html.replaceAll('></rect>', '/>');
  const response = HttpResponse.html(visiblePage(short), { status: options.status ?? 200 });
  const policy = contentSecurityPolicy({
    assets: [...assets, themeScript],
    formAction: 'self',
    connect: 'self',
    images: 'data',
    ...(/<iframe|class="requests"/.test(markup) ? { frames: 'self' } : {}), // documents, and records in the side pane
    ...(isPane ? { framedBy: 'self' } : {}),
  });
  protectResponse(response, policy, isPane ? 'SAMEORIGIN' : 'DENY');
  // With `no-referrer`, browsers would send `Origin: null`, but form checks need the origin.
  response.headers.set('Referrer-Policy', 'same-origin');
  return response;
}

function Shell({ options, children }: { options: ShellOptions; children: ComponentChildren }): VNode {
  const { links } = options;
  return (
    <>
      <a class="skip-link" href="#content">
        Skip to the content
      </a>
      {options.hasRows === true && (
        <a class="skip-link" href="#rows">
          Skip to the requests
        </a>
      )}
      {!isInPane() && <TopBar {...options} />}
      <main id="content" class="page" tabIndex={-1}>
        {children}
      </main>
      <Hatches />
      <KeysDialog />
      {/* Filled by the page's script with the record's panels, the pages and search results. */}
      <dialog class="palette" aria-label="Go to" data-list={links.list()}>
        <input
          type="text"
          aria-label="Panel, route, path or token"
          placeholder="Panel, route, path or token"
          autocomplete="off"
          spellcheck={false}
        />
        <ul aria-label="Go to" />
      </dialog>
    </>
  );
}

/** The bar above the page; in the side pane it belongs to the list. */
function TopBar({ links, current, search }: ShellOptions): VNode {
  const errors = currentScope()?.get(frameKey)?.errors ?? 0;
  return (
    <header class="bar-top">
      <a class="brand" href={links.list()}>
        <BrandMark />
        lookback
      </a>
      <nav aria-label="Profiler">
        <a href={links.list()} aria-current={current === 'list' ? 'page' : undefined} data-go="h">
          Requests
        </a>
        <a href={links.totals('routes')} aria-current={current === 'routes' ? 'page' : undefined}>
          Routes
        </a>
        <a href={links.totals('errors')} aria-current={current === 'errors' ? 'page' : undefined}>
          Errors{errors > 0 && <span class="count opt"> {errors}</span>}
        </a>
        <a class="opt" href={links.record('latest')} data-key="l">
          Latest
        </a>
      </nav>
      <SearchForm links={links} search={search} />
      <div class="tools">
        <Tool data-theme-toggle="">
          {[icons.theme, icons.sun, icons.moon].map((path) => (
            <Icon path={path} />
          ))}
        </Tool>
        <Tool data-open="palette" aria-label="Go to" title="Go to (Ctrl K)">
          <Icon path={icons.command} />
        </Tool>
        <Tool data-open="keys" aria-label="Keyboard shortcuts">
          ?
        </Tool>
      </div>
    </header>
  );
}

/** A button of the bar, shown only if scripts run. */
function Tool(props: Readonly<Record<string, ComponentChildren>>): VNode {
  return <button class="button quiet" type="button" data-scripted="" hidden {...props} />;
}

function SearchForm(props: { links: ProfilerLinks; search: ShellOptions['search'] }): VNode {
  const { links, search } = props;
  return (
    <form method="get" action={links.list()} role="search" autocomplete="off" spellcheck={false}>
      <input
        type="search"
        name="q"
        value={search?.text}
        placeholder="status:500  time:>200ms  text"
        aria-label="Search"
        title="A token, part of a URL, or fields such as status:500"
        list={search === undefined ? undefined : 'query-parts'}
        data-search=""
      />
      {search !== undefined && (
        <datalist id="query-parts">
          {search.suggestions.map((part) => (
            <option value={part} />
          ))}
        </datalist>
      )}
    </form>
  );
}

/** The list of keyboard shortcuts, with a switch that turns them off (WCAG 2.1.4). Opened by the page's script. */
function KeysDialog(): VNode {
  const keys: readonly (readonly [key: string, does: string])[] = [
    ['/', 'search'],
    ['Ctrl K', 'go to a panel, route or record'],
    ['j k', 'next and previous row'],
    ['[ ]', 'older and newer record'],
    ['1 … 9', 'panel by number'],
    ['g …', 'panel by its letter, shown before its name after g'],
    ['g h', 'list of requests'],
    ['l', 'latest record'],
    ['f', 'follow new requests'],
    ['c', 'select for comparison'],
    ['y', 'copy the token'],
    ['m', 'copy the record as Markdown'],
    ['?', 'this list'],
  ];
  return (
    <dialog class="keys" aria-labelledby="keys-title">
      <h2 id="keys-title">Keyboard shortcuts</h2>
      <dl>
        {keys.map(([key, does]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </>
        ))}
      </dl>
      <form method="dialog">
        <p>
          <label class="check">
            <input type="checkbox" data-keys-off="" /> Turn shortcuts off
          </label>
        </p>
        <button class="button" type="submit">
          Close
        </button>
      </form>
    </dialog>
  );
}

/** Reads the profiler pages' scripts, compiled from the same-named files in `browser`, as one asset. */
function readBrowserScript(...names: readonly string[]): InlineAsset {
  const texts = names.map((name) =>
    readFileSync(new URL(`./browser/${name}.js`, import.meta.url), 'utf8').replaceAll(/^ +/gm, ''),
  );
  return createScriptAsset(texts.join(''));
}

/** The scripts, and the markup that needs each. Pages work without them. */
const pageScripts: readonly (readonly [marker: string, script: InlineAsset])[] = [
  ['', readBrowserScript('profiler-page', 'palette')],
  ['class="requests"', readBrowserScript('pane')],
  ['data-live=', readBrowserScript('live')],
];
