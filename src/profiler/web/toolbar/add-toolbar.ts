import { scriptElement } from '#core/html';
import type { HttpRequest } from '#core/http';
import { findToolbarNonce } from './toolbar-policy.js';

/** A response about to be sent. */
export interface OutgoingPage {
  readonly status: number;
  /** Returns a header field's values, one per line. */
  readonly fields: (name: string) => readonly string[];
  readonly body: unknown;
}

/** The page with the toolbar, and the header fields to change. */
export interface PageWithToolbar {
  readonly body: string | Uint8Array;
  readonly fields: ReadonlyMap<string, string>;
  /** Bytes added to the page. */
  readonly added: number;
}

export interface ToolbarPlace {
  readonly request: HttpRequest;
  readonly token: string;
  /** Path prefix of the profiler's pages. */
  readonly prefix: string;
}

/** How much of a page's end is searched for `</body>`. */
const tailLength = 4_096;
/** Header fields that depend on the exact bytes of the body. */
const forbiddingHeaders =
  'content-range content-digest repr-digest digest content-md5 signature trailer'.split(' ');

/**
 * Inserts the toolbar's script at the end of the body. Returns undefined if the response must stay unchanged: it is not
 * a complete HTML document, already has the script, is encoded, an attachment, partial or signed, or its policy does
 * not allow the script. The caller has already checked that the client may see debug output.
 */
export function addToolbar(page: OutgoingPage, place: ToolbarPlace): PageWithToolbar | undefined {
  const { body } = page;
  if (!isBody(body)) return undefined;
  const tag = tagOf(page, body, place);
  const at = tag === undefined ? undefined : findEnd(body);
  if (tag === undefined || at === undefined) return undefined;
  return { body: insert(body, at, tag), fields: changedFields(page, tag.length), added: tag.length };
}

/**
 * Variant for a page sent in parts, whose `body` is the first part. Returns the script, which may follow the last part
 * (browsers move content after `</html>` into the body), and the header fields to change before the first; undefined if
 * there must be no toolbar.
 */
export function beginToolbar(page: OutgoingPage, place: ToolbarPlace): PageWithToolbar | undefined {
  const { body } = page;
  if (!isBody(body) || !beginsDocument(body)) return undefined;
  const tag = tagOf(page, body, place);
  if (tag === undefined) return undefined;
  return { body: tag, fields: changedFields(page, tag.length), added: tag.length };
}

/** Returns whether the end of a page already has a toolbar, for example in a forwarded response from another watched application. */
export function hasToolbar(end: string | Uint8Array): boolean {
  return /<script [^>]{0,300}\bdata-lookback=/.test(
    asLatin1(end, Math.max(0, end.length - tailLength), end.length),
  );
}

function isBody(body: unknown): body is string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array;
}

function tagOf(
  page: OutgoingPage,
  body: string | Uint8Array,
  { request, token, prefix }: ToolbarPlace,
): string | undefined {
  if (!isPlainPage(page) || !isPageRequest(request)) return undefined;
  const nonce = findToolbarNonce([...policiesOf(page), ...metaPolicies(body)], request.origin);
  if (nonce === undefined) return undefined;
  const attributes = { 'data-lookback': `${prefix}/${token}`, nonce: nonce === '' ? undefined : nonce };
  const origin = hasForeignBase(body) ? request.origin : '';
  return `${scriptElement(`${origin}${prefix}/toolbar.js`, attributes)}\n`;
}

/** Returns whether a `base` element may make the page's paths point to another origin. */
function hasForeignBase(body: string | Uint8Array): boolean {
  return /<base\s[^>]{0,500}?\bhref\s*=\s*["']?\s*(?:[a-z][a-z\d+.-]{0,20}:)?\/\//i.test(
    asLatin1(body, 0, headLength),
  );
}

/** How much of a page's beginning is searched for `meta` and `base` elements. */
const headLength = 16_384;

function isPlainPage({ status, fields }: OutgoingPage): boolean {
  // Browsers do not show a redirect's body.
  const isRedirect = status >= 300 && status < 400;
  if (isRedirect || status < 200 || status === 204 || status === 205 || status === 206) return false;
  const type = fields('content-type').join();
  if (!/^\s*text\/html\s*(?:;|$)/i.test(type) || /charset\s*=\s*"?(?:utf-?(?:16|32)|ucs|utf-?7)/i.test(type))
    return false;
  if (fields('content-encoding').some((coding) => coding.toLowerCase() !== 'identity')) return false;
  if (fields('content-disposition').some((value) => /^\s*attachment/i.test(value))) return false;
  return forbiddingHeaders.every((name) => fields(name).length === 0);
}

function policiesOf({ fields }: OutgoingPage): readonly string[] {
  return [...fields('content-security-policy'), ...fields('content-security-policy-report-only')];
}

/** Returns the policies in `meta` elements. They are in the head, so only the beginning of the page is searched. */
function metaPolicies(body: string | Uint8Array): string[] {
  const head = asLatin1(body, 0, headLength);
  return [...head.matchAll(/<meta\s[^>]{0,2000}>/gi)].flatMap(([tag]) => {
    if (!/content-security-policy/i.test(tag)) return [];
    const content = /\scontent\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag);
    return [content?.[1] ?? content?.[2] ?? "default-src 'none'"];
  });
}

/** Returns the index of the `</body>` that ends the document, or of the page's end, because HTML allows omitting it. */
function findEnd(body: string | Uint8Array): number | undefined {
  if (hasToolbar(body)) return undefined;
  const from = Math.max(0, body.length - tailLength);
  const tail = asLatin1(body, from, body.length)
    .toLowerCase()
    .replace(/<!--.*?-->/gs, (comment) => ' '.repeat(comment.length));
  const at = tail.lastIndexOf('</body');
  if (at === -1) {
    return beginsDocument(body) ? from + tail.search(/(?:<\/html\s*>\s*)?$/) : undefined;
  }
  return /^<\/body\s*>\s*(?:<\/html\s*>\s*)?$/.test(tail.slice(at)) ? from + at : undefined;
}

function beginsDocument(body: string | Uint8Array): boolean {
  return /^\s*<!doctype\s+html/i.test(asLatin1(body, 0, 1_000));
}

/** Returns a part of the body as text with the same indexes: one character per byte, or per code unit of a string. */
function asLatin1(body: string | Uint8Array, from: number, to: number): string {
  if (typeof body === 'string') return body.slice(from, to);
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString(
    'latin1',
    from,
    Math.min(to, body.length),
  );
}

function insert(body: string | Uint8Array, at: number, tag: string): string | Uint8Array {
  if (typeof body === 'string') return body.slice(0, at) + tag + body.slice(at);
  return Buffer.concat([body.subarray(0, at), Buffer.from(tag, 'latin1'), body.subarray(at)]);
}

/** Returns the changed fields: larger Content-Length, weak ETag, and Cache-Control that forbids shared caches. */
function changedFields({ fields }: OutgoingPage, added: number): ReadonlyMap<string, string> {
  const changes = new Map<string, string>();
  const [length] = fields('content-length');
  if (length !== undefined) changes.set('Content-Length', String(Number(length) + added));
  const [tag] = fields('etag');
  if (tag !== undefined && !tag.startsWith('W/')) changes.set('ETag', `W/${tag}`);
  changes.set('Cache-Control', privateControl(fields('cache-control').join(',')));
  return changes;
}

function privateControl(control: string): string {
  const kept = control
    .split(',')
    .map((directive) => directive.trim())
    .filter(
      (directive) => directive !== '' && !/^(?:public|private|s-maxage|proxy-revalidate)\b/i.test(directive),
    );
  return ['private', ...kept].join(', ');
}

/** Returns whether a browser requests a page for a window, as opposed to scripts, images and programs. */
export function isPageRequest({ method, headers }: HttpRequest): boolean {
  if (method === 'HEAD' || headers.has('range') || headers.has('x-requested-with')) return false;
  const destination = headers.get('sec-fetch-dest');
  if (destination !== undefined) return destination === 'document';
  return (headers.get('accept') ?? '').includes('text/html');
}
