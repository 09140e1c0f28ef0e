import type { VNode } from 'preact';
import { icons } from '../../panels/blocks/icons.js';
import { currentLanguage, type Language, languages } from '#phrases';
import { say } from '../../words/say.js';
import { Icon } from '../blocks/icon.js';
import { languageLink } from '../site/prepare-page.js';
import type { ProfilerLinks } from '../site/links.js';

/** The reader's settings at the end of the header: language and, if scripts run, theme, palette and keyboard shortcuts. */
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

/** The list of keyboard shortcuts, with a switch that turns them off (WCAG 2.1.4). Opened by the page's script. */
export function KeysDialog(): VNode {
  const keys: readonly (readonly [key: string, does: string])[] = [
    ['/', say('search')],
    ['Ctrl K', say('go to a panel, route or record')],
    ['j k', say('next and previous row')],
    ['[ ]', say('older and newer record')],
    ['1 … 9', say('panel by number')],
    ['g …', say('panel by its letter, shown beside its name')],
    ['g h', say('list of requests')],
    ['l', say('latest record')],
    ['f', say('follow new requests')],
    ['c', say('mark for comparison')],
    ['y', say('copy the token')],
    ['m', say('copy the record as Markdown')],
    ['?', say('this list')],
  ];
  return (
    <dialog class="keys" aria-labelledby="keys-title">
      <h2 id="keys-title">{say('Keyboard shortcuts')}</h2>
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
            <input type="checkbox" data-keys-off="" /> {say('Turn shortcuts off')}
          </label>
        </p>
        <button class="button" type="submit">
          {say('Close')}
        </button>
      </form>
    </dialog>
  );
}

/**
 * The command palette. The page's script opens it with Ctrl K or ⌘ K and fills it with the panels of the record, the pages
 * and search results of the list.
 */
export function Palette({ links }: { links: ProfilerLinks }): VNode {
  return (
    <dialog
      class="palette"
      aria-label={say('Go to')}
      data-list={links.list()}
      data-search-words={say('Search requests for “{text}”')}
    >
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-choices"
        aria-autocomplete="list"
        aria-label={say('Panel, route, path or token')}
        placeholder={say('Panel, route, path or token')}
        autocomplete="off"
        spellcheck={false}
      />
      <ul id="palette-choices" role="listbox" aria-label={say('Go to')} />
    </dialog>
  );
}
