import type { ComponentChildren, VNode } from 'preact';
import type { Language } from '../languages.js';
import { languages, languageTags, text } from '../languages.js';
import type { Context, Reader } from './page.js';

export interface FrameProps {
  readonly reader: Reader;
  readonly url: Context['url'];
  readonly language: string;
  readonly pathIn: (language: Language) => string;
  readonly children: ComponentChildren;
}

/** The frame around every page. The bottom of the window is reserved for the debug toolbar. */
export function Frame({ reader, url, language, pathIn, children }: FrameProps): VNode {
  return (
    <>
      <a class="skip-link" href="#content">
        {text('skip')}
      </a>
      <header class="site-head">
        <a class="site-name" href={url('home')}>
          {text('journal')}
        </a>
        <nav aria-label={text('menu')}>
          <a href={url('articles')}>{text('articles')}</a>
          <a href={url('message')}>{text('write')}</a>
          <a href={url('failures')}>{text('failures')}</a>
          {reader.isAdmin && <a href={url('admin')}>{text('admin')}</a>}
        </nav>
        <Languages language={language} url={url} pathIn={pathIn} />
        <Account reader={reader} url={url} />
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

/** Stays on the page and stores the choice: each button posts this page's path in its language. */
function Languages({ language, url, pathIn }: Pick<FrameProps, 'language' | 'url' | 'pathIn'>): VNode {
  return (
    <form class="languages" method="post" action={url('language')} aria-label={text('languages')}>
      {languageTags.map((tag) => (
        <button
          name="page"
          value={pathIn(tag)}
          formAction={url('language', { _locale: tag })}
          lang={tag}
          aria-current={tag === language ? 'true' : undefined}
        >
          <abbr aria-hidden="true">{tag}</abbr>
          <span class="visually-hidden">{languages[tag]}</span>
        </button>
      ))}
    </form>
  );
}

function Account({ reader, url }: Pick<FrameProps, 'reader' | 'url'>): VNode {
  if (reader.user === undefined) {
    return (
      <p class="account">
        <a href={url('login')}>{text('login')}</a>
      </p>
    );
  }
  return (
    <form class="account" method="post" action={`${url('home')}/logout`}>
      <span>{text('loggedInAs', { name: reader.user.identifier })}</span>
      <button class="button">{text('logout')}</button>
    </form>
  );
}
