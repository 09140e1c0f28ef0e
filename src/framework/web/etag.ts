import { hash } from 'node:crypto';
import { checkOptions, optionsSchema, type OptionsSchema } from '#core/options';
import { HttpError } from '#core/errors';
import { hasDirective, type HttpRequest, HttpResponse, sizeOfBody } from '#core/http';
import { kernelListener, kernelPriority, responseEvent } from '#framework/kernel';
import { createScopeKey, type ScopeKey } from '#core/scope';
import { createPathMatcher, pathList, type WebExtension } from './web-extension.js';

export interface EtagOptions {
  /** Only these paths and everything below them. Default: all. */
  readonly paths?: readonly string[];
}

export const etagSchema: OptionsSchema<EtagOptions> = optionsSchema<EtagOptions>({ paths: pathList });

/**
 * Adds an ETag, a hash of the body, to complete responses to GET and HEAD that have none. Answers 304 to clients that
 * already have the same body, and 412 if a precondition fails (If-Match). The controller still runs: only the transfer
 * is saved. Streams, `no-store` responses, and statuses other than 200 are not changed.
 */
export function etag(options: EtagOptions = {}): WebExtension {
  checkOptions('etag()', options, etagSchema);
  const isMeant = createPathMatcher(options.paths);
  return {
    name: 'etag',
    listeners: [
      kernelListener(
        responseEvent,
        (event) => {
          const { request, response } = event;
          if (!isMeant(request) || !canBeKept(request, response)) return;
          const { headers } = response;
          const tag = headers.get('etag') ?? tagOf(response);
          if (tag === undefined) return;
          if (!headers.has('etag')) headers.set('ETag', tag);
          const modified = Date.parse(headers.get('last-modified') ?? '');
          const validators = { etag: tag, modified: Number.isNaN(modified) ? undefined : modified };
          assertPreconditions(request, validators);
          if (isNotModified(request, validators)) event.response = notModified(request, response);
        },
        { name: 'etag', priority: kernelPriority.response.etag },
      ),
    ],
  };
}

function canBeKept({ method }: HttpRequest, { status, headers }: HttpResponse): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || status !== 200) return false;
  return !hasDirective(headers.get('cache-control'), 'no-store');
}

function tagOf({ body }: HttpResponse): string | undefined {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return undefined;
  return `"${hash('sha1', body, 'base64url' as 'base64')}"`; // Node accepts every encoding of a Buffer, but its types declare only two
}

/** Facts about the replaced response that a 304 omits; `compression()` needs them to give both the same fields. */
export interface OmittedBody {
  readonly type: string | undefined;
  /** Bytes. */
  readonly size: number;
}

/** Set for requests that are answered with a 304. */
export const omittedBody: ScopeKey<OmittedBody> = createScopeKey('body that a 304 omits');

/** Creates the 304, without the fields that describe the omitted body. */
function notModified({ scope }: HttpRequest, { headers, body }: HttpResponse): HttpResponse {
  scope.set(omittedBody, { type: headers.get('content-type'), size: sizeOfBody(body) });
  const response = new HttpResponse(null, { status: 304, headers });
  for (const name of ['Content-Type', 'Content-Length', 'Content-Encoding', 'Content-Disposition'])
    response.headers.delete(name);
  return response;
}

/** Validators for one content version (RFC 9110 section 8.8). */
export interface Validators {
  /** The entity tag with its quotes, and `W/` if it is weak. */
  readonly etag: string | undefined;
  /** Last change, in milliseconds since 1970; compared in whole seconds. */
  readonly modified: number | undefined;
}

/**
 * Throws 412 if the client wants a different version (RFC 9110 sections 13.1.1, 13.1.4), for example when it resumes
 * the download of a file that has changed.
 */
export function assertPreconditions({ headers }: HttpRequest, validators: Validators): void {
  const wanted = headers.get('if-match');
  if (wanted !== undefined) {
    if (!hasTag(wanted, validators.etag, { weak: false })) throw changed('If-Match');
    return;
  }
  const since = parseHttpDate(headers.get('if-unmodified-since'));
  if (since !== undefined && validators.modified !== undefined && seconds(validators.modified) > since)
    throw changed('If-Unmodified-Since');
}

function changed(field: string): Error {
  return new HttpError(412, `The content differs from what the client expects (${field}).`);
}

/** Whether the client already has this version: GET or HEAD is then answered with 304 (RFC 9110 section 13.2.2). */
export function isNotModified({ method, headers }: HttpRequest, validators: Validators): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const known = headers.get('if-none-match');
  if (known !== undefined) return hasTag(known, validators.etag, { weak: true });
  const since = parseHttpDate(headers.get('if-modified-since'));
  return since !== undefined && validators.modified !== undefined && seconds(validators.modified) <= since;
}

/**
 * Whether a Range may be answered with a part: the client has other parts of the same version (RFC 9110 section
 * 13.1.5).
 */
export function isRangeCurrent({ headers }: HttpRequest, validators: Validators): boolean {
  const known = headers.get('if-range');
  if (known === undefined) return true;
  if (known.includes('"')) return hasTag(known, validators.etag, { weak: false });
  const since = parseHttpDate(known);
  return since !== undefined && validators.modified !== undefined && seconds(validators.modified) === since;
}

const entityTags = /(?:[Ww]\/)?"[^"]*"/g; // `w/` does not introduce one of our tags, weak or strong

function hasTag(list: string, etag: string | undefined, { weak }: { readonly weak: boolean }): boolean {
  if (list.trim() === '*') return true;
  if (etag === undefined || (!weak && etag.startsWith('W/'))) return false;
  const wanted = weak ? opaque(etag) : etag;
  return [...list.matchAll(entityTags)].some(([tag]) => (weak ? opaque(tag) : tag) === wanted);
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}

/** The only date format that HTTP still sends (RFC 9110 section 5.6.7). */
const dateForm = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Parses an HTTP date; returns seconds since 1970, or undefined for other text. */
function parseHttpDate(text = ''): number | undefined {
  const milliseconds = dateForm.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
