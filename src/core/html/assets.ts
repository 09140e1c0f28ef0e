import { createHash } from 'node:crypto';
import { anObject, checkOptions, listOf, oneOf, type OptionsSchema, optionsSchema } from '#core/options';
import { escapeHtml } from './safe-html.js';

/** An inline stylesheet or script, which the content security policy allows by its hash. */
export interface InlineAsset {
  readonly kind: 'style' | 'script';
  readonly text: string;
  /** Source expression for `style-src` or `script-src`: `'sha256-…'`, including the quotes. */
  readonly source: string;
}

const createdAssets = new WeakSet<InlineAsset>();

/** Creates a stylesheet asset from program text. Throws a TypeError if the text would end its element. */
export function createStyleAsset(text: string): InlineAsset {
  return createAsset('style', minifyCss(text));
}

/** Creates a script asset from program text. Throws a TypeError if the text would end its element. */
export function createScriptAsset(text: string): InlineAsset {
  return createAsset('script', text);
}

/** Returns whether the asset was created here; look-alike objects from elsewhere are never put into a page. */
export function isInlineAsset(asset: InlineAsset): boolean {
  return createdAssets.has(asset);
}

/** Removes white space that is insignificant in CSS; quoted strings are kept unchanged. */
function minifyCss(css: string): string {
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
    throw new TypeError(`A page ${kind} cannot contain an end tag or "<!--". Write it differently.`);
  const source = `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
  const asset = Object.freeze({ kind, text, source });
  createdAssets.add(asset);
  return asset;
}

/** Renders a `script` element with a `src`; every value is escaped. For pages rendered elsewhere. */
export function scriptElement(src: string, attributes: Readonly<Record<string, string | undefined>>): string {
  const rest = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [` ${name}="${escapeHtml(value)}"`],
  );
  return `<script src="${escapeHtml(src)}"${rest.join('')}></script>`;
}

/**
 * Applies the stored choice of a light or dark theme before the first paint. Each button with `data-theme-toggle`
 * cycles through: system setting, the opposite theme, the system's theme as a fixed choice. Without scripts or storage,
 * the system setting applies.
 */
export const themeScript: InlineAsset = createScriptAsset(`(() => {
  const root = document.documentElement;
  const key = 'lookback.theme';
  const states = ['system', 'light', 'dark'];
  const read = () => { try { return localStorage.getItem(key); } catch { return null; } };
  const apply = (theme) => {
    const chosen = theme === 'light' || theme === 'dark' ? theme : 'system';
    if (chosen === 'system') delete root.dataset.theme; else root.dataset.theme = theme;
    for (const button of document.querySelectorAll('[data-theme-toggle]')) {
      button.title = 'Theme: ' + chosen;
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

/** The project's logo, three spans of a timeline that form an arrow to the left: SVG path data on a 16 × 16 grid. */
export const brandShapes: readonly [app: string, database: string, http: string] = [
  'M8 1h5L9 5H4z',
  'M1 8l2-2h12v4H3z',
  'M4 11h5l4 4H8z',
];

/** A page's permissions. Everything else is refused. */
export interface PolicyOptions {
  /** The page's inline assets, allowed by their hashes. */
  assets?: readonly InlineAsset[];
  /** Where forms may be submitted to. Default: nowhere. */
  formAction?: 'none' | 'self';
  /** Whether scripts may connect to the page's own origin (fetch, event streams). Default: no. */
  connect?: 'none' | 'self';
  /** Whether scripts may be loaded from the page's own origin, in addition to inline ones. Default: no. */
  scripts?: 'none' | 'self';
  /** Allowed images: `data` for data URLs, `self` for those and images from the page's own origin. Default: none. */
  images?: 'none' | 'data' | 'self';
  /** Whether the page may embed pages from its own origin in frames. Default: no. */
  frames?: 'none' | 'self';
  /** Which pages may embed this page in a frame. Default: none. */
  framedBy?: 'none' | 'self';
}

const selfOrNone = oneOf('none', 'self');
export const policySchema: OptionsSchema<PolicyOptions> = optionsSchema<PolicyOptions>({
  assets: listOf(anObject()),
  formAction: selfOrNone,
  connect: selfOrNone,
  scripts: selfOrNone,
  images: oneOf('none', 'data', 'self'),
  frames: selfOrNone,
  framedBy: selfOrNone,
});

/**
 * Renders a strict Content-Security-Policy: styles and scripts only by hash, no `base`, and no loading, framing or form
 * submission unless an option allows it.
 */
export function contentSecurityPolicy(options: PolicyOptions = {}): string {
  checkOptions('contentSecurityPolicy()', options, policySchema);
  const { assets = [] } = options;
  const sources = (kind: InlineAsset['kind']): string => {
    const list = assets.filter((asset) => asset.kind === kind).map((asset) => asset.source);
    if (kind === 'script' && options.scripts === 'self') list.push("'self'");
    return list.length === 0 ? "'none'" : list.join(' ');
  };
  return [
    "default-src 'none'",
    `style-src ${sources('style')}`,
    `script-src ${sources('script')}`,
    ...(options.images === 'self' ? ["img-src 'self' data:"] : []),
    ...(options.images === 'data' ? ['img-src data:'] : []),
    ...(options.connect === 'self' ? ["connect-src 'self'"] : []),
    ...(options.frames === 'self' ? ["frame-src 'self'"] : []),
    "base-uri 'none'",
    `form-action '${options.formAction ?? 'none'}'`,
    `frame-ancestors '${options.framedBy ?? 'none'}'`,
  ].join('; ');
}
