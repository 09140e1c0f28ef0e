import { channel } from 'node:diagnostics_channel';
import { isPromise } from 'node:util/types';
import { escapeHtml, isSafeHtml, SafeHtml, safeUrl } from './safe-html.js';
import type { VNode } from './jsx.js';
import { isElement, renderMarkup } from './render-document.js';

/**
 * A value of an `html` template. Null, undefined and booleans render as nothing, except booleans in `aria-…` and
 * `data-…` attributes, which render as `true` and `false`.
 */
export type HtmlValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | SafeHtml
  | VNode
  | readonly HtmlValue[];

/** `state`: an attribute whose values include the words true and false. */
type Hole = 'text' | 'attribute' | 'state' | 'url';

const plans = new WeakMap<TemplateStringsArray, readonly Hole[]>();

/**
 * Creates markup from a template literal. Values are escaped, unless they are markup created by this module. Placeholders are
 * allowed in text and inside quoted attribute values. In `href`, `src`, `action` and similar attributes, a value at
 * the start must be a harmless URL (`safeUrl`). A placeholder anywhere else (tag and attribute names, unquoted values,
 * event handlers, `style`, scripts, comments) throws a TypeError on the first use of the template.
 */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): SafeHtml {
  const holes = plans.get(strings) ?? planHoles(strings);
  let out = strings[0] ?? '';
  for (let index = 0; index < values.length; index++) {
    out += fill(values[index], holes[index]) + (strings[index + 1] ?? '');
  }
  if (usedTemplates.hasSubscribers)
    usedTemplates.publish({ strings, tag: html, length: out.length } satisfies TemplateMessage);
  return new SafeHtml(out);
}

/** Message on `lookback:html:template`: a template was rendered, published during the tag's call. */
export interface TemplateMessage {
  /** The template's strings: the same object for each use. */
  readonly strings: TemplateStringsArray;
  /** The tag; the template's location is above it on the stack. */
  readonly tag: typeof html;
  /** Markup length in UTF-16 code units. */
  readonly length: number;
}

const usedTemplates = channel('lookback:html:template');

function fill(value: HtmlValue, hole: Hole | undefined): string {
  if (hole === 'url') return escapeHtml(safeUrl(plainText(value)));
  if (hole === 'state' && typeof value === 'boolean') return String(value);
  return hole === 'text' || hole === undefined ? markup(value) : escapeHtml(plainText(value));
}

function plainText(value: HtmlValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value === null || value === undefined || typeof value === 'boolean') return '';
  throw refusal(value, 'An attribute in an html template takes text, not markup. Pass a string.');
}

function markup(value: HtmlValue): string {
  if (typeof value === 'object' && value !== null) {
    if (isSafeHtml(value)) return value.toString();
    if (Array.isArray(value)) return markupOfAll(value);
    if (isElement(value)) return renderMarkup(value);
    throw refusal(value, 'An html template takes text, numbers, markup and arrays of these. Pass a string.');
  }
  return escapeHtml(plainText(value));
}

function refusal(value: unknown, message: string): TypeError {
  return new TypeError(
    isPromise(value) ? 'An html template was given a promise. Add "await" before the value.' : message,
  );
}

/** Concatenates with `+`, which V8 does without copying; `join` would copy nested markup at each level. */
function markupOfAll(values: readonly HtmlValue[]): string {
  let out = '';
  for (const value of values) out += markup(value);
  return out;
}

function planHoles(strings: TemplateStringsArray): readonly Hole[] {
  const holes: Hole[] = [];
  let before = '';
  for (const part of strings.slice(0, -1)) {
    before += part;
    holes.push(holeAfter(before));
    before += 'x';
  }
  plans.set(strings, holes);
  return holes;
}

const urlAttributes = new Set(['href', 'src', 'action', 'formaction', 'poster', 'cite', 'data', 'ping']);

/** Determines the kind of a placeholder after this markup, by reading the markup as an HTML parser would. */
function holeAfter(text: string): Hole {
  const open = text.lastIndexOf('<');
  if (open === -1) return 'text';
  const tag = /^<(\/?)([a-zA-Z][^\s/>]*)/.exec(text.slice(open));
  const rest = tag === null ? '' : text.slice(open + tag[0].length);
  const quoted = /(?:^|\s)([^\s"'=<>/]+)\s*=\s*("[^"]*|'[^']*)$/.exec(rest);
  const complete = /^(?:[^"'>]|"[^"]*"|'[^']*')*>/.test(rest);
  if (!complete && quoted !== null)
    return attributeHole(quoted[1] ?? '', { opens: (quoted[2] ?? '').length === 1 });
  if (complete && !endsInRawText(text)) return 'text';
  throw new TypeError(
    `An html template has a placeholder where text cannot be escaped safely: ${text.slice(-60)}\${…}. ` +
      'Use placeholders only in text and in quoted attribute values.',
  );
}

/** Returns whether the markup ends in an element whose text has no character references (unlike `textarea` and `title`). */
function endsInRawText(text: string): boolean {
  const tags = [
    ...text.matchAll(/<(\/?)(?:script|style|iframe|noscript|noembed|noframes|plaintext|xmp)\b/gi),
  ];
  return tags.at(-1)?.[1] === '';
}

function attributeHole(name: string, { opens }: { readonly opens: boolean }): Hole {
  const lower = name.toLowerCase();
  if (lower.startsWith('on') || lower === 'style' || lower === 'srcdoc')
    throw new TypeError(`An html template cannot have a placeholder in the attribute ${lower}.`);
  if (/^(?:aria|data)-/.test(lower)) return 'state';
  return opens && urlAttributes.has(lower) ? 'url' : 'attribute';
}

/** Text, or a span with a class and inner text or parts. The class `mark` renders a `mark` element instead. */
export type SpanPart = string | readonly [className: string, inner: string | readonly SpanPart[]];

/** Renders spans with classes, such as highlighted code, without thousands of JSX elements. Their text is escaped. */
export function renderSpans(parts: readonly SpanPart[]): SafeHtml {
  return new SafeHtml(spans(parts));
}

function spans(parts: readonly SpanPart[]): string {
  let out = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      out += escapeHtml(part);
      continue;
    }
    const [className, inner] = part;
    const text = typeof inner === 'string' ? escapeHtml(inner) : spans(inner);
    if (className === 'mark') out += `<mark>${text}</mark>`;
    else out += `<span class="${escapeHtml(className)}">${text}</span>`;
  }
  return out;
}
