import { createScriptAsset, type InlineAsset } from './assets.js';

/**
 * Applies the reader's stored choice of light or dark before the first paint. Every button with `data-theme-toggle` goes
 * on from the system's setting to the opposite, to the system's own as a fixed choice, and back; its value holds the three names of these states, with `|`
 * between. Without the script (or without storage) the system's setting holds.
 */
export const themeScript: InlineAsset = createScriptAsset(`(() => {
  const root = document.documentElement;
  const key = 'lookback.theme';
  const states = ['system', 'light', 'dark'];
  const read = () => { try { return localStorage.getItem(key); } catch { return null; } };
  const apply = (theme) => {
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme; else delete root.dataset.theme;
    for (const button of document.querySelectorAll('[data-theme-toggle]')) {
      const names = (button.dataset.themeToggle || 'Theme: system|Theme: light|Theme: dark').split('|');
      button.title = names[Math.max(0, states.indexOf(theme))];
      button.setAttribute('aria-label', button.title);
    }
  };
  apply(read());
  addEventListener('DOMContentLoaded', () => apply(read()));
  addEventListener('click', (event) => {
    const button = event.target instanceof Element && event.target.closest('[data-theme-toggle]');
    if (!button) return;
    const opposite = matchMedia('(prefers-color-scheme: dark)').matches ? 1 : 2;
    const now = Math.max(0, states.indexOf(root.dataset.theme));
    const theme = states[now === 0 ? opposite : now === opposite ? 3 - opposite : 0];
    apply(theme);
    try { theme === 'system' ? localStorage.removeItem(key) : localStorage.setItem(key, theme); } catch {}
  });
})();`);
