import type { Panel, PanelBadge } from '../../panels/panel.js';

/** A panel as the menu shows it. */
export interface MenuEntry {
  readonly panel: Panel;
  readonly badge: PanelBadge | 'plain' | undefined;
  /** With `g` in front, the key that opens it: the first of its id's letters that no panel before it has. */
  readonly letter: string | undefined;
}
