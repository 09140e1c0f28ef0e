import type { ComponentChildren, VNode } from 'preact';
import {
  baseStyles,
  brandPath,
  contentSecurityPolicy,
  type InlineAsset,
  renderDocument,
  themeScript,
  visiblePage,
  visibleText,
} from '#html';
import { HttpResponse } from '#http';
import { icons } from '../../panels/blocks/icons.js';
import type { Tone } from '../../panels/blocks/block.js';
import { currentLanguage } from '#phrases';
import { say } from '../../words/say.js';
import { browserScript, paneScript } from './browser-script.js';
import { Icon } from '../blocks/icon.js';
import { HeaderTools, KeysDialog, Palette } from './header-tools.js';
import { addFormCookie } from '../site/form-token.js';
import type { ProfilerLinks } from '../site/links.js';
import { categoryStyles, profilerStyles } from '../styles/profiler-styles.js';
import { currentAddress } from '../site/prepare-page.js';
import { protectResponse } from '../access/protect-response.js';

/** Options of the shell around every page. */
export interface ShellOptions {
  /** Whether the page embeds documents in frames. */
  readonly frames?: boolean;
  readonly title: string;
  readonly links: ProfilerLinks;
  /** Header entry that is the current page. */
  readonly current?: 'list';
  readonly status?: number;
  /** Styles that only this page needs. */
  readonly styles?: readonly InlineAsset[];
  /** Scripts that only this page needs; they run after the script of every page. */
  readonly scripts?: readonly InlineAsset[];
  /** Tone of the icon in the browser's tab. */
  readonly tone?: Tone;
  /** The page responds to a POST. Its URL does not support GET, so its language cannot be changed. */
  readonly isAction?: boolean;
}

/** Icon colours that are visible on light and dark browser tabs. */
const iconColours: Readonly<Record<Tone, string>> = {
  neutral: '#4285f4',
  info: '#4285f4',
  ok: '#2da160',
  warn: '#d29922',
  error: '#e5484d',
};

/** Renders a profiler page: shell, styles and scripts (allowed by hash), and the security headers of every debug page. */
export function renderShell(content: VNode, options: ShellOptions): HttpResponse {
  const { styles = [], scripts = [], tone = 'neutral' } = options;
  const own = options.current === 'list' ? [paneScript] : [];
  const assets = [baseStyles, categoryStyles, ...styles, profilerStyles, browserScript, ...own, ...scripts];
  const { isPane } = currentAddress();
  const html = renderDocument(<Shell options={options}>{content}</Shell>, {
    lang: currentLanguage(),
    title: visibleText(`${options.title} · lookback`),
    assets,
    headScripts: [themeScript],
    icon: brandPath,
    iconColour: iconColours[tone],
    bodyClass: isPane ? 'is-pane' : '',
  });
  const response = HttpResponse.html(visiblePage(html), { status: options.status ?? 200 });
  const policy = contentSecurityPolicy({
    assets: [...assets, themeScript],
    formAction: 'self',
    connect: 'self',
    images: 'data',
    ...(options.current === 'list' || options.frames === true ? { frames: 'self' } : {}),
    ...(isPane ? { framedBy: 'self' } : {}),
  });
  addFormCookie(response);
  protectResponse(response, policy, isPane ? 'SAMEORIGIN' : 'DENY');
  // With `no-referrer`, browsers would send `Origin: null`, but the check of forms needs the origin.
  response.headers.set('Referrer-Policy', 'same-origin');
  return response;
}

function Shell({ options, children }: { options: ShellOptions; children: ComponentChildren }): VNode {
  const { links } = options;
  const { isPane } = currentAddress();
  return (
    <>
      <a class="skip-link" href="#content">
        {say('Skip to the content')}
      </a>
      {!isPane && (
        <header class="bar-top">
          <a class="brand" href={links.list()}>
            <Icon path={brandPath} />
            lookback
          </a>
          <nav aria-label={say('Profiler')}>
            <a href={links.list()} aria-current={options.current === 'list' ? 'page' : undefined} data-go="h">
              {say('Requests')}
            </a>
            <a href={links.record('latest')} data-key="l">
              {say('Latest')}
            </a>
          </nav>
          <SearchForm links={links} />
          <HeaderTools isAction={options.isAction === true} />
        </header>
      )}
      <main
        id="content"
        class="page"
        tabIndex={-1}
        data-ages={agePhrases.map((phrase) => say(phrase)).join('|')}
        data-words={`${say('Copied')}|${say('Not copied')}`}
        data-pane={options.current === 'list' ? `${say('Record')}|${say('Close')}` : undefined}
      >
        {children}
      </main>
      <KeysDialog />
      <Palette links={links} />
    </>
  );
}

/** Phrases with which the page's script updates ages. */
const agePhrases = ['just now', '{n} s ago', '{n} min ago', '{n} h ago', '{n} d ago'] as const;

function SearchForm({ links }: { links: ProfilerLinks }): VNode {
  const words = say('Token or part of a URL');
  return (
    <form method="get" action={links.list()} role="search">
      <input type="search" name="q" placeholder={words} aria-label={words} data-search="" />
      <button class="button" type="submit">
        <Icon path={icons.search} />
        {say('Find')}
      </button>
    </form>
  );
}
