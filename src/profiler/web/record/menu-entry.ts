import type { Panel, PanelBadge } from '../../panels/panel.js';

/** A panel as the menu shows it. */
export interface MenuEntry {
  readonly panel: Panel;
  readonly badge: PanelBadge | 'plain' | undefined;
}
