import type { ComponentChildren, VNode } from 'preact';
import { jsxTemplate } from 'preact/jsx-runtime';
import { renderMarkup } from './render-markup.js';
import { isInlineAsset, type InlineAsset } from './assets.js';
import { escapeHtml } from './escape-html.js';
import { SafeHtml } from './safe-html.js';

/** Options of `renderDocument`. */
export interface DocumentOptions {
  /** BCP 47 language tag of the page's own text. */
  lang: string;
  title: string;
  /** Inline styles and scripts created with `createStyleAsset` and `createScriptAsset`; scripts run after the body. */
  assets?: readonly InlineAsset[];
  /** Scripts that must run before the first paint, e.g. `themeScript`. */
  headScripts?: readonly InlineAsset[];
  /** Fixed theme. Default: the setting of the reader's system. */
  theme?: 'light' | 'dark';
  /** `nonce` attribute of every style and script, for a policy with a nonce. */
  nonce?: string;
  /** SVG path data on a 24 × 24 grid for the page's icon; the policy of the page needs `images: 'data'`. */
  icon?: string;
  /** Colour of the icon in CSS syntax: `#2da160`. */
  iconColour?: string;
  /** Class of the body. */
  bodyClass?: string;
}

/** Renders a whole page: doctype, head with the inline assets, and the given body, in which preact escapes all text. */
export function renderDocument(body: VNode | SafeHtml, options: DocumentOptions): string {
  const { assets = [], headScripts = [], theme, nonce, bodyClass } = options;
  const element = (asset: InlineAsset): string => assetElement(asset, nonce);
  const styles = assets.filter((asset) => asset.kind === 'style').map(element);
  const scripts = assets.filter((asset) => asset.kind === 'script').map(element);
  const inner = SafeHtml.is(body) ? body.toString() : renderMarkup(body);
  return (
    `<!doctype html>\n<html lang="${escapeHtml(options.lang)}"${attribute('data-theme', theme)}><head>` +
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<meta name="robots" content="noindex"><title>${escapeHtml(options.title)}</title>${iconLink(options)}` +
    `${headScripts.map(element).join('')}${styles.join('')}</head>` +
    `<body${attribute('class', bodyClass)}>${inner}${scripts.join('')}</body></html>\n`
  );
}

/** Renders one element tree, for fragments that are sent without a document. */
export function renderFragment(part: VNode): SafeHtml {
  return new SafeHtml(renderMarkup(part));
}

/** Inserts markup into a JSX tree without a wrapper element. Throws a TypeError for anything except `SafeHtml`. */
export function embed(markup: SafeHtml): ComponentChildren {
  if (!SafeHtml.is(markup))
    throw new TypeError('embed takes markup made by the html house. Give text as a child.');
  return jsxTemplate([markup.toString()]);
}

function assetElement(asset: InlineAsset, nonce: string | undefined): string {
  if (!isInlineAsset(asset))
    throw new TypeError('A page takes assets made by createStyleAsset or createScriptAsset.');
  return `<${asset.kind}${attribute('nonce', nonce)}>${asset.text}</${asset.kind}>`;
}

/** Renders the icon link. Without one, browsers request `/favicon.ico` from the application. */
function iconLink({ icon, iconColour = '#4285f4' }: DocumentOptions): string {
  if (icon === undefined) return '';
  const image =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="${escapeHtml(iconColour)}" ` +
    `stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"><path d="${escapeHtml(icon)}"/></svg>`;
  return `<link rel="icon" href="data:image/svg+xml,${escapeHtml(encodeURIComponent(image))}">`;
}

function attribute(name: string, value: string | undefined): string {
  return value === undefined ? '' : ` ${name}="${escapeHtml(value)}"`;
}
