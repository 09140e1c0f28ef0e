import type { ComponentChildren, VNode } from 'preact';
import { pictureStyles } from '#dump';
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
import { browserScript } from './browser-script.js';
import { Icon } from '../blocks/icon.js';
import { KeysDialog } from './keys-dialog.js';
import type { ProfilerLinks } from '../site/links.js';
import { profilerStyles } from '../styles/profiler-styles.js';
import { protectResponse } from '../access/protect-response.js';

/** What the frame around every page shows. */
export interface ShellOptions {
  readonly title: string;
  readonly links: ProfilerLinks;
  /** Which entry of the header is the page itself. */
  readonly current?: 'list';
  readonly status?: number;
  /** Styles that only this page needs. */
  readonly styles?: readonly InlineAsset[];
  /** One line at the foot: the state of the store. */
  readonly foot?: ComponentChildren;
}

/** A page of the profiler: frame, own styles and script by hash, and the headers every debug page carries. */
export function renderShell(content: VNode, options: ShellOptions): HttpResponse {
  const assets = [baseStyles, pictureStyles, ...(options.styles ?? []), profilerStyles, browserScript];
  const html = renderDocument(<Shell options={options}>{content}</Shell>, {
    lang: 'en',
    title: visibleText(`${options.title} · lookback`),
    assets,
    headScripts: [themeScript],
    icon: brandPath,
  });
  const response = HttpResponse.html(visiblePage(html), { status: options.status ?? 200 });
  const policy = contentSecurityPolicy({
    assets: [...assets, themeScript],
    formAction: 'self',
    connect: 'self',
    images: 'data',
  });
  return protectResponse(response, policy);
}

function Shell({ options, children }: { options: ShellOptions; children: ComponentChildren }): VNode {
  const { links } = options;
  return (
    <>
      <a class="skip-link" href="#content">
        Skip to the content
      </a>
      <header class="bar-top">
        <a class="brand" href={links.list()}>
          <Icon path={brandPath} />
          lookback
        </a>
        <nav aria-label="Profiler">
          <a href={links.list()} aria-current={options.current === 'list' ? 'page' : undefined}>
            Requests
          </a>
          <a href={links.record('latest')} data-key="l">
            Latest
          </a>
        </nav>
        <Tools links={links} />
      </header>
      <main id="content" class="page" tabIndex={-1}>
        {children}
      </main>
      {options.foot !== undefined && <footer class="foot">{options.foot}</footer>}
      <KeysDialog />
    </>
  );
}

/** The search box, and what needs a script. */
function Tools({ links }: { links: ProfilerLinks }): VNode {
  return (
    <form method="get" action={links.list()} role="search">
      <input
        type="search"
        name="q"
        placeholder="Token or part of a URL"
        aria-label="Token or part of a URL"
        data-search=""
      />
      <button class="button" type="submit">
        <Icon path={icons.search} />
        Find
      </button>
      <button class="button" type="button" data-theme-toggle="" data-scripted="" hidden title="Light or dark">
        <Icon path={icons.theme} />
        <span class="visually-hidden">Light or dark</span>
      </button>
      <button
        class="button"
        type="button"
        data-keys=""
        data-scripted=""
        hidden
        aria-label="Keyboard shortcuts"
      >
        ?
      </button>
    </form>
  );
}
