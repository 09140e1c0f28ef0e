import { createScriptAsset, type InlineAsset } from './assets.js';

/**
 * Applies the reader's stored choice of light or dark before the first paint, and lets every button with
 * `data-theme-toggle` change it. A choice that is the system's own is
 * not kept, so that the page follows the system again. Without it (or without storage) the system's setting holds.
 */
export const themeScript: InlineAsset = createScriptAsset(`(() => {
  const root = document.documentElement;
  const key = 'lookback.theme';
  const read = () => { try { return localStorage.getItem(key); } catch { return null; } };
  const stored = read();
  if (stored === 'light' || stored === 'dark') root.dataset.theme = stored;
  addEventListener('click', (event) => {
    const button = event.target instanceof Element && event.target.closest('[data-theme-toggle]');
    if (!button) return;
    const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    const theme = (root.dataset.theme || system) === 'dark' ? 'light' : 'dark';
    if (theme === system) delete root.dataset.theme; else root.dataset.theme = theme;
    try { theme === system ? localStorage.removeItem(key) : localStorage.setItem(key, theme); } catch {}
  });
})();`);
