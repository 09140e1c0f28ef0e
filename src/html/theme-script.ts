import { createScriptAsset, type InlineAsset } from './assets.js';

/**
 * Applies the reader's stored choice of light or dark before the first paint, and lets every button with
 * `data-theme-toggle` change it. Without it (or without storage) the system's setting holds.
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
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
    try { localStorage.setItem(key, root.dataset.theme); } catch {}
  });
})();`);
