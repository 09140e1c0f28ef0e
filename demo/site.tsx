import type { ControllerContext } from 'lookback';
import { HttpResponse } from 'lookback';
import type { VNode } from 'preact';
import type { Security, SecurityUser } from 'lookback/security';
import { baseStyles, contentSecurityPolicy, renderDocument } from 'lookback/html';
import { languageTags, text } from './languages.js';
import type { Language } from './languages.js';
import { takeNotice } from './notices.js';
import { Frame } from './pages/frame.js';
import { siteStyles } from './pages/site-styles.js';

/** What a controller of the journal is given. */
export type Context = ControllerContext<Readonly<Record<string, string>>>;

/** Who reads a page, as far as the page shows it. */
export interface Reader {
  readonly user: SecurityUser | undefined;
  readonly mayEdit: boolean;
  readonly isAdmin: boolean;
  /** For the hidden field of each form. */
  readonly csrfToken: string;
}

/** A page without its frame. */
export interface Page {
  readonly title: string;
  readonly content: VNode;
  /** Default 200. */
  readonly status?: number;
  /** Where the page is in another language. Default: the same path under that language. */
  readonly pathIn?: (language: Language) => string;
}

/** Pages of one look: frame, menu, languages and who is logged in. */
export interface Site {
  page(context: Context, make: (reader: Reader) => Page): Promise<HttpResponse>;
}

const assets = [baseStyles, siteStyles];
const policy = contentSecurityPolicy({ assets, formAction: 'self' });

export function createSite(security: Security): Site {
  return {
    async page(context, make) {
      const { request, locale } = context;
      const reader: Reader = {
        user: await security.user(request),
        mayEdit: await security.isGranted(request, 'ROLE_EDITOR'),
        isAdmin: await security.isGranted(request, 'ROLE_ADMIN'),
        csrfToken: await security.csrfToken(request),
      };
      const notice = await takeNotice(security, request);
      const { title, content, status = 200, pathIn = samePath(request.path) } = make(reader);
      const frame = (
        <Frame reader={reader} url={context.url} language={locale} pathIn={pathIn}>
          {notice !== undefined && (
            <p class="notice ok" role="status">
              {text(notice)}
            </p>
          )}
          {content}
        </Frame>
      );
      return HttpResponse.html(
        renderDocument(frame, { lang: locale, title: `${title} · lookback`, assets }),
        {
          status,
          headers: {
            'Content-Security-Policy': policy,
            // After a logout the browser's back button shall not show what only this reader may see.
            ...(reader.user === undefined ? {} : { 'Cache-Control': 'private, no-store' }),
          },
        },
      );
    },
  };
}

/** `/en/articles` is `/de/articles` in German; a path without a language stays as it is. */
function samePath(path: string): (language: Language) => string {
  const [, first = '', ...rest] = path.split('/');
  if (!languageTags.some((tag) => tag === first)) return () => path;
  return (language) => ['', language, ...rest].join('/');
}
