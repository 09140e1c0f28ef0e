import type { VNode } from 'preact';
import { icons } from '../../panels/blocks/icons.js';
import { currentLanguage, type Language, languages } from '#phrases';
import { say } from '../../words/say.js';
import { Icon } from '../blocks/icon.js';
import { languageLink } from '../site/prepare-page.js';

/** The reader's own settings at the end of the header: language, and, by script, theme, palette and keys. */
export function HeaderTools({ isAction }: { isAction: boolean }): VNode {
  return (
    <div class="tools">
      {!isAction && <Languages />}
      <button
        class="button quiet"
        type="button"
        data-theme-toggle={`${say('Theme: system')}|${say('Theme: light')}|${say('Theme: dark')}`}
        data-scripted=""
        hidden
      >
        <Icon path={icons.theme} />
        <Icon path={icons.sun} />
        <Icon path={icons.moon} />
      </button>
      <button
        class="button quiet"
        type="button"
        data-open="palette"
        data-scripted=""
        hidden
        aria-label={say('Go to')}
        title={`${say('Go to')} (Ctrl K)`}
      >
        <Icon path={icons.command} />
      </button>
      <button
        class="button quiet"
        type="button"
        data-open="keys"
        data-scripted=""
        hidden
        aria-label={say('Keyboard shortcuts')}
      >
        ?
      </button>
    </div>
  );
}

function Languages(): VNode {
  const current = currentLanguage();
  return (
    <details class="drop">
      <summary class="button quiet" title={languages[current]}>
        <span class="visually-hidden">{say('Language')}: </span>
        {current.toUpperCase()}
      </summary>
      <ul>
        {Object.entries(languages).map(([tag, name]) => (
          <li>
            <a
              href={languageLink(tag as Language) /* a key of languages */}
              lang={tag}
              hreflang={tag}
              aria-current={tag === current ? 'true' : undefined}
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
