import type { SlugField } from '../plan/entity-plan.js';

/** Replacements for letters that have no Unicode decomposition. */
const spelledLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'TH',
  ł: 'l',
  Ł: 'L',
  ı: 'i',
};

/**
 * Converts text to a slug, not yet unique: Latin letters lose their marks, letters and digits of other scripts stay,
 * everything else becomes the separator. An empty result becomes `untitled`.
 */
export function slugify(
  text: string,
  options: Pick<SlugField, 'style' | 'separator' | 'slugify' | 'prefix' | 'suffix'>,
): string {
  const { prefix = '', suffix = '' } = options;
  const body = options.slugify === undefined ? words(text, options) : options.slugify(text);
  return `${prefix}${body === '' ? 'untitled' : body}${suffix}`;
}

function words(
  text: string,
  { style = 'lower', separator = '-' }: Pick<SlugField, 'style' | 'separator'>,
): string {
  const plain = text
    .normalize('NFKD')
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')
    .replace(/[ßẞæÆœŒøØđĐðÐþÞłŁı]/g, (letter) => spelledLetters[letter] ?? letter)
    .normalize('NFC')
    .replace(/['’]/g, '');
  const parts = plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (style === 'camel')
    return parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1).toLowerCase()).join('');
  const joined = parts.join(separator);
  if (style === 'lower') return joined.toLowerCase();
  return style === 'upper' ? joined.toUpperCase() : joined;
}

/**
 * Appends the number that makes a slug unique (none if it is 0), and truncates the slug to the length of its column.
 */
export function numberSlug(slug: string, number: number, { separator = '-', maxLength }: SlugField): string {
  const ending = number === 0 ? '' : `${separator}${number}`;
  if (slug.length + ending.length <= maxLength) return slug + ending;
  const cut = slug.slice(0, maxLength - ending.length).replace(/[\uD800-\uDBFF]$/, '');
  return (cut.endsWith(separator) ? cut.slice(0, -separator.length) : cut) + ending;
}

/** Returns whether `slug` is `base` itself or `base` with a number. */
export function isNumberedFrom(slug: string, base: string, { separator = '-' }: SlugField): boolean {
  if (slug === base) return true;
  const start = base + separator;
  return slug.startsWith(start) && /^[1-9]\d*$/.test(slug.slice(start.length));
}
