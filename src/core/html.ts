/**
 * The only place where text becomes markup. Pages are JSX (preact) rendered to a string, or `html` templates; both
 * escape all values. Styles and scripts of a page are inline assets that its content security policy allows by hash.
 */
export type { ComponentChildren, VNode } from './html/jsx.js';
export { escapeHtml, isSafeHtml, trustedHtml, type SafeHtml, safeUrl } from './html/safe-html.js';
export { visibleJson, visiblePage, visibleText } from './html/safe-html.js';
export { html, type HtmlValue, renderSpans, type SpanPart } from './html/html-tag.js';
export { BrandMark } from './html/brand-mark.js';
export {
  brandShapes,
  createScriptAsset,
  createStyleAsset,
  scriptElement,
  themeScript,
} from './html/assets.js';
export { type InlineAsset, contentSecurityPolicy, type PolicyOptions } from './html/assets.js';
export { embed, renderDocument, renderFragment, type DocumentOptions } from './html/render-document.js';
export { baseStyles } from './html/base-styles.js';
