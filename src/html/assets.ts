import { createHash } from 'node:crypto';
import { escapeHtml } from './escape-html.js';

/** A stylesheet or script inside the page, known to the policy by its hash. */
export interface InlineAsset {
  readonly kind: 'style' | 'script';
  readonly text: string;
  /** The source expression for `style-src` or `script-src`: `'sha256-…'` with its quotes. */
  readonly source: string;
}

const createdAssets = new WeakSet<InlineAsset>();

/** Declares a stylesheet that is part of the program; throws if its text would end its element. */
export function createStyleAsset(text: string): InlineAsset {
  return createAsset('style', squeeze(text));
}

/** Declares a script that is part of the program; throws if its text would end its element. */
export function createScriptAsset(text: string): InlineAsset {
  return createAsset('script', text);
}

/** True for assets made here: an object of the same shape from elsewhere is never put into a page. */
export function isInlineAsset(asset: InlineAsset): boolean {
  return createdAssets.has(asset);
}

/** Leaves out the spaces that mean nothing to CSS; strings are kept as they are. */
function squeeze(css: string): string {
  return css
    .replace(
      /("[^"]*")|\s*([{};,])\s*|((?<=[a-z-]:) (?=[^ ]))|\s+/g,
      (_, quoted?: string, sign?: string, afterColon?: string) =>
        quoted ?? sign ?? (afterColon === undefined ? ' ' : ''),
    )
    .trim();
}

function createAsset(kind: InlineAsset['kind'], text: string): InlineAsset {
  if (/<\/(?:style|script)|<!--/i.test(text))
    throw new TypeError(`A ${kind} of a page may hold neither an end tag nor "<!--". Write it otherwise.`);
  const source = `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
  const asset = Object.freeze({ kind, text, source });
  createdAssets.add(asset);
  return asset;
}

/** The element that loads a script, with its attributes; every value is escaped. For pages that are not made here. */
export function scriptElement(src: string, attributes: Readonly<Record<string, string | undefined>>): string {
  const rest = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [` ${name}="${escapeHtml(value)}"`],
  );
  return `<script src="${escapeHtml(src)}"${rest.join('')}></script>`;
}

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

/** The project's sign, an arrow that turns back: path data on a 24 × 24 grid, drawn with a stroke and no fill. */
export const brandPath = 'M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3';
