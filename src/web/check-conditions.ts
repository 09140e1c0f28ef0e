import type { HttpRequest } from '#http';

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

/** Whether the client required another version of the content: the request is then answered by 412. */
export function isPreconditionFailed({ headers }: HttpRequest, validators: Validators): boolean {
  const wanted = headers.get('if-match');
  if (wanted !== undefined) return !hasTag(wanted, validators.etag, { weak: false });
  const since = parseHttpDate(headers.get('if-unmodified-since'));
  return since !== undefined && validators.modified !== undefined && seconds(validators.modified) > since;
}

/** Whether a Range may be answered by a part: the client has other parts of the same version (RFC 9110 section 13.1.5). */
export function isRangeCurrent({ headers }: HttpRequest, validators: Validators): boolean {
  const known = headers.get('if-range');
  if (known === undefined) return true;
  if (known.includes('"')) return hasTag(known, validators.etag, { weak: false });
  const since = parseHttpDate(known);
  return since !== undefined && validators.modified !== undefined && seconds(validators.modified) === since;
}

const entityTags = /(?:W\/)?"[^"]*"/g;

function hasTag(list: string, etag: string | undefined, { weak }: { readonly weak: boolean }): boolean {
  if (list.trim() === '*') return true;
  if (etag === undefined || (!weak && etag.startsWith('W/'))) return false;
  const wanted = weak ? opaque(etag) : etag;
  return [...list.matchAll(entityTags)].some(([tag]) => (weak ? opaque(tag) : tag) === wanted);
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}

const datePattern = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Parses a date in the current HTTP format; returns seconds since 1970, undefined for other text. */
function parseHttpDate(text: string | undefined): number | undefined {
  if (text === undefined || !datePattern.test(text)) return undefined;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
