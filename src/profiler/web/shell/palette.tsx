import type { VNode } from 'preact';
import { say } from '../../words/say.js';
import type { ProfilerLinks } from '../site/links.js';

/**
 * The command palette, filled by the page's script: the panels of the record, the pages, and what a search of the list
 * finds. Opened with Ctrl K or ⌘ K.
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
