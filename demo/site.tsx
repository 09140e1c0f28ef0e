import { HttpResponse } from 'lookback';
import type { Security } from 'lookback/security';
import { baseStyles, contentSecurityPolicy, renderDocument } from 'lookback/html';
import { languageTags, text } from './languages.js';
import type { Language } from './languages.js';
import { takeNotice } from './notices.js';
import { Frame } from './pages/frame.js';
import type { Context, Page, Reader } from './pages/page.js';
import { siteStyles } from './pages/site-styles.js';

/** Pages with the same layout: frame, menu, languages and the logged-in user. */
export interface Site {
  page(context: Context, make: (reader: Reader) => Page): Promise<HttpResponse>;
}

const assets = [baseStyles, siteStyles];
const policy = contentSecurityPolicy({
  assets,
  formAction: 'self',
  images: 'data',
  // The debug toolbar is a script from this origin that requests records from it; without these two directives it does
  // not appear.
  scripts: 'self',
  connect: 'self',
});

export function createSite(security: Security): Site {
  return {
    async page(context, make) {
      const { request, locale } = context;
      const reader: Reader = {
        user: await security.user(request),
        mayEdit: await security.isGranted(request, 'ROLE_EDITOR'),
        isAdmin: await security.isGranted(request, 'ROLE_ADMIN'),
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
        renderDocument(frame, { lang: locale, title: `${title} · lookback`, assets, hasBrandIcon: true }),
        {
          status,
          headers: {
            'Content-Security-Policy': policy,
            // After a logout, the browser's back button must not show content that only this reader may see.
            ...(reader.user === undefined ? {} : { 'Cache-Control': 'private, no-store' }),
          },
        },
      );
    },
  };
}

/** `/en/articles` is `/de/articles` in German; a path without a language stays unchanged. */
function samePath(path: string): (language: Language) => string {
  const [, first = '', ...rest] = path.split('/');
  if (!languageTags.some((tag) => tag === first)) return () => path;
  return (language) => ['', language, ...rest].join('/');
}
