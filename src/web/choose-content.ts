import type { HttpRequest } from '#http';
import { parseQualityValues } from '#negotiation';

/** Validators of one version of a content (RFC 9110 section 8.8). */
export interface Validators {
  /** The entity tag with its quotes, and `W/` if it is weak. */
  readonly etag: string | undefined;
  /** Time of the last change, in milliseconds since 1970; compared in whole seconds. */
  readonly modified: number | undefined;
}

/** Whether the client already has this version: GET or HEAD is then answered by 304 (RFC 9110 section 13.2.2). */
export function isNotModified({ method, headers }: HttpRequest, validators: Validators): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const known = headers.get('if-none-match');
  if (known !== undefined) return hasTag(known, validators.etag, { weak: true });
  const since = parseHttpDate(headers.get('if-modified-since'));
  return since !== undefined && validators.modified !== undefined && seconds(validators.modified) <= since;
}

/** Whether a Range may be answered by a part: the client has other parts of the same version (RFC 9110 section 13.1.5). */
export function isRangeCurrent({ headers }: HttpRequest, validators: Validators): boolean {
  const known = headers.get('if-range');
  if (known === undefined) return true;
  if (known.includes('"')) return hasTag(known, validators.etag, { weak: false });
  const since = parseHttpDate(known);
  return since !== undefined && validators.modified !== undefined && seconds(validators.modified) === since;
}

const entityTags = /(?:[Ww]\/)?"[^"]*"/g; // `w/` marks no tag of ours, neither a weak one nor a strong one

function hasTag(list: string, etag: string | undefined, { weak }: { readonly weak: boolean }): boolean {
  if (list.trim() === '*') return true;
  if (etag === undefined || (!weak && etag.startsWith('W/'))) return false;
  const wanted = weak ? opaque(etag) : etag;
  return [...list.matchAll(entityTags)].some(([tag]) => (weak ? opaque(tag) : tag) === wanted);
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}

/** The one format of dates that HTTP still sends (RFC 9110 section 5.6.7). */
const dateForm = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Parses a date of HTTP; returns seconds since 1970, undefined for other text. */
function parseHttpDate(text = ''): number | undefined {
  const milliseconds = dateForm.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

/** Content codings of answers, in order of preference. */
export const offeredCodings = ['br', 'gzip'] as const;

/**
 * Returns the offered content coding that the client prefers, the first of equal ones. Returns undefined if it accepts
 * none of them or prefers unencoded content (RFC 9110 section 12.5.3).
 */
export function chooseEncoding<Coding extends string>(
  accept: string | undefined,
  offered: readonly Coding[],
): Coding | undefined {
  if (accept === undefined) return undefined;
  const weights = new Map(
    parseQualityValues(accept).map(({ value, quality }) => [value === 'x-gzip' ? 'gzip' : value, quality]),
  );
  const others = weights.get('*') ?? 0;
  let best: Coding | undefined;
  let bestWeight = weights.get('identity') ?? 0;
  for (const coding of offered) {
    const weight = weights.get(coding) ?? others;
    if (weight > 0 && (best === undefined ? weight >= bestWeight : weight > bestWeight))
      [best, bestWeight] = [coding, weight];
  }
  return best;
}

const compressibleEssence =
  /^(?:text\/[^;]+|application\/(?:[^;]+\+(?:json|xml|text)|json|ld\+json|x-ndjson|xml|javascript|ecmascript|wasm|rtf|manifest\+json|vnd\.ms-fontobject|x-tar)|image\/(?:svg\+xml|bmp|x-icon|vnd\.microsoft\.icon)|font\/(?:ttf|otf|collection))$/;

/** Whether content of a type benefits from compression. Images, videos and archives are already compressed. */
export function isCompressibleType(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  const [essence = ''] = contentType.split(';', 1);
  return compressibleEssence.test(essence.trim().toLowerCase());
}
