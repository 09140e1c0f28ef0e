import type { ComponentChildren, VNode } from 'preact';
import { jsxTemplate } from 'preact/jsx-runtime';
import { renderMarkup } from './render-markup.js';
import { isInlineAsset, type InlineAsset } from './assets.js';
import { escapeHtml } from './escape-html.js';
import { SafeHtml } from './safe-html.js';

/** The options of a document: everything around the body of a page. */
export interface DocumentOptions {
  /** BCP 47 language of the page's own words. */
  lang: string;
  title: string;
  /** Inline styles and scripts created with `createStyleAsset` and `createScriptAsset`; scripts run after the body. */
  assets?: readonly InlineAsset[];
  /** Scripts that must run before the first paint, e.g. `themeScript`. */
  headScripts?: readonly InlineAsset[];
  /** Fixes light or dark; without it the reader's system decides. */
  theme?: 'light' | 'dark';
  /** Put on every style and script, for a policy by nonce. */
  nonce?: string;
  /** Path data on a 24 × 24 grid, drawn as the icon of the page; its policy needs `images: 'data'`. */
  icon?: string;
  /** Colour of the icon, as CSS writes it: `#2da160`. */
  iconColour?: string;
  /** Class of the body. */
  bodyClass?: string;
}

/** A whole page: doctype, head with the page's own assets, and the given body, in which preact escapes all text. */
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

/** Markup of one element tree, for parts that are sent alone. */
export function renderFragment(part: VNode): SafeHtml {
  return new SafeHtml(renderMarkup(part));
}

/** Puts markup of this house into a JSX tree, without an element around it. Refuses anything but SafeHtml. */
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

/** Without one a browser requests `/favicon.ico` from the application. */
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
