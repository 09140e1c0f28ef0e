import { jsxTemplate } from 'preact/jsx-runtime';
import {
  anObject,
  checkOptions,
  flag,
  listOf,
  type OptionsSchema,
  optionsSchema,
  required,
  text,
} from '#core/options';
import { htmlErrors } from './error-codes.js';
import type { ComponentChildren, VNode } from './jsx.js';
import { brandShapes, isInlineAsset, type InlineAsset } from './assets.js';
import { escapeHtml, SafeHtml } from './safe-html.js';
import { channel } from 'node:diagnostics_channel';
import { isValidElement } from 'preact';
import { renderToString } from 'preact-render-to-string';

export interface DocumentOptions {
  /** BCP 47 language tag for the page's own text. */
  lang: string;
  title: string;
  /** Inline styles and scripts created with `createStyleAsset` and `createScriptAsset`; scripts run after the body. */
  assets?: readonly InlineAsset[];
  /** Scripts that must run before the first paint, e.g. `themeScript`. */
  headScripts?: readonly InlineAsset[];
  /** Whether the page has lookback's own logo as its icon; its policy then needs `images: 'data'`. */
  hasBrandIcon?: boolean;
  /** Colour that replaces the logo's three, in CSS syntax: `#2da160`. */
  iconColour?: string;
  bodyClass?: string;
}

export const documentSchema: OptionsSchema<DocumentOptions> = optionsSchema<DocumentOptions>({
  lang: required(text),
  title: required(text),
  assets: listOf(anObject()),
  headScripts: listOf(anObject()),
  hasBrandIcon: flag,
  iconColour: text,
  bodyClass: text,
});

/**
 * Renders a whole page: doctype, head with the inline assets, and the given body, in which preact escapes all text.
 * Throws `HTML_EMPTY_PAGE` if the body renders to nothing.
 */
export function renderDocument(body: VNode | SafeHtml, options: DocumentOptions): string {
  checkOptions('renderDocument()', options, documentSchema);
  const { assets = [], headScripts = [], bodyClass } = options;
  const styles = assets.filter((asset) => asset.kind === 'style').map(assetElement);
  const scripts = assets.filter((asset) => asset.kind === 'script').map(assetElement);
  const inner = SafeHtml.is(body) ? body.toString() : renderMarkup(body);
  if (inner === '') throw htmlErrors.create('HTML_EMPTY_PAGE', { title: options.title });
  return (
    `<!doctype html>\n<html lang="${escapeHtml(options.lang)}"><head>` +
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<meta name="robots" content="noindex"><title>${escapeHtml(options.title)}</title>${iconLink(options)}` +
    `${headScripts.map(assetElement).join('')}${styles.join('')}</head>` +
    `<body${bodyClass === undefined ? '' : ` class="${escapeHtml(bodyClass)}"`}>${inner}${scripts.join('')}</body></html>\n`
  );
}

/** Renders one element tree, for fragments that are sent without a document. */
export function renderFragment(part: VNode): SafeHtml {
  return new SafeHtml(renderMarkup(part));
}

/** Inserts markup into a JSX tree without a wrapper element. Throws a TypeError for anything except `SafeHtml`. */
export function embed(markup: SafeHtml): ComponentChildren {
  if (!SafeHtml.is(markup))
    throw new TypeError('embed takes markup created by lookback/html. Pass text as a child.');
  return jsxTemplate([markup.toString()]);
}

function assetElement(asset: InlineAsset): string {
  if (!isInlineAsset(asset))
    throw new TypeError('A page takes assets created by createStyleAsset or createScriptAsset.');
  return `<${asset.kind}>${asset.text}</${asset.kind}>`;
}

/** Logo colours that are visible on light and dark tabs. */
const markColours = ['#0e94bf', '#6c43e0', '#df691e'];

/** Renders the icon link. Without one, browsers request `/favicon.ico` from the application. */
function iconLink({ iconColour, hasBrandIcon = false }: DocumentOptions): string {
  if (!hasBrandIcon) return '';
  const paths = brandShapes.map(
    (shape, at) => `<path fill="${escapeHtml(iconColour ?? markColours[at] ?? '')}" d="${shape}"/>`,
  );
  const image = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${paths.join('')}</svg>`;
  return `<link rel="icon" href="data:image/svg+xml,${escapeHtml(encodeURIComponent(image))}">`;
}

/** Message on `lookback:html:render`: one element tree was rendered. */
export interface RenderMessage {
  /** Name of the outermost component; empty for a plain element. */
  readonly name: string;
  /** Duration in milliseconds, with fractions. */
  readonly durationMs: number;
  /** Markup length in UTF-16 code units. */
  readonly length: number;
}

const rendered = channel('lookback:html:render');

/**
 * Renders an element tree, and publishes a `RenderMessage`. Throws `HTML_FOREIGN_ELEMENT` for elements of another
 * library.
 */
export function renderMarkup(tree: VNode): string {
  if (!isValidElement(tree)) throw foreignElement(tree);
  if (!rendered.hasSubscribers) return renderToString(tree);
  const begun = performance.now();
  const markup = renderToString(tree);
  const name = typeof tree.type === 'function' ? (tree.type.displayName ?? tree.type.name) : '';
  const message: RenderMessage = { name, durationMs: performance.now() - begun, length: markup.length };
  rendered.publish(message);
  return markup;
}

/** Whether a value is an element from any JSX library, including ours. JSON data never is. */
export function isElement(value: object): value is VNode {
  return isValidElement(value) || makerOf(value) !== undefined;
}

function foreignElement(value: unknown): Error {
  const maker = typeof value === 'object' && value !== null ? makerOf(value) : undefined;
  return maker === undefined
    ? new TypeError('Only an element can be rendered. For text, use the html tag.')
    : htmlErrors.create('HTML_FOREIGN_ELEMENT', { maker });
}

/** Elements of React and Preact 11 are marked with symbols, which JSON data cannot contain. */
function makerOf(value: object): string | undefined {
  if (typeof Reflect.get(value, '$$typeof') === 'symbol') return 'React';
  return typeof Reflect.get(value, 'constructor') === 'symbol' ? 'another version of Preact' : undefined;
}
