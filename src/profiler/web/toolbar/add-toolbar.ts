import { scriptElement } from '#html';
import type { HttpRequest } from '#http';
import { readToolbarPolicy } from './toolbar-policy.js';

/** An answer that is about to leave. */
export interface LeavingPage {
  readonly status: number;
  /** The values of a field; its lines apart. */
  readonly fields: (name: string) => readonly string[];
  readonly body: unknown;
}

/** The page with the toolbar, and the fields that change with it: undefined goes. */
export interface PageWithToolbar {
  readonly body: string | Uint8Array;
  readonly fields: ReadonlyMap<string, string | undefined>;
}

export interface ToolbarPlace {
  readonly request: HttpRequest;
  readonly token: string;
  /** Path of the profiler's pages. */
  readonly prefix: string;
}

/** The end of a page in which its last tag is looked for. */
const tailLength = 4_096;
/** Fields that describe the exact bytes, or that say that this is no page for a window. */
const forbiddingHeaders =
  'content-range content-digest repr-digest digest content-md5 signature trailer'.split(' ');
/** Fields by which shared caches keep what `private` forbids. */
const sharedCacheHeaders = ['cdn-cache-control', 'surrogate-control', 'cloudflare-cdn-cache-control'];

/**
 * The page with one script before its `</body>`, which shows the toolbar; undefined where the answer is to stay as it is: it
 * is no whole HTML document, encoded, an attachment, a part, signed, or its policy does not let the script in. The
 * caller has asked who may see debug output.
 */
export function addToolbar(
  page: LeavingPage,
  { request, token, prefix }: ToolbarPlace,
): PageWithToolbar | undefined {
  const { body } = page;
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return undefined;
  if (!isPlainPage(page) || !isPageRequest(request)) return undefined;
  const at = findEnd(body);
  if (at === undefined) return undefined;
  const policy = readToolbarPolicy([...policiesOf(page), ...metaPolicies(body)], request.origin);
  if (!policy.isAllowed) return undefined;
  const attributes = { 'data-lookback': `${prefix}/${token}`, nonce: policy.nonce };
  const tag = `${scriptElement(`${prefix}/toolbar.js`, attributes)}\n`;
  return { body: insert(body, at, tag), fields: changedFields(page, tag.length) };
}

function isPlainPage({ status, fields }: LeavingPage): boolean {
  // Of a redirect no browser shows the page.
  const isRedirect = status >= 300 && status < 400;
  if (isRedirect || status < 200 || status === 204 || status === 205 || status === 206) return false;
  const type = fields('content-type').join();
  if (!/^\s*text\/html\s*(?:;|$)/i.test(type) || /charset\s*=\s*"?(?:utf-?(?:16|32)|ucs|utf-?7)/i.test(type))
    return false;
  if (fields('content-encoding').some((coding) => coding.toLowerCase() !== 'identity')) return false;
  if (fields('content-disposition').some((value) => /^\s*attachment/i.test(value))) return false;
  return forbiddingHeaders.every((name) => fields(name).length === 0);
}

function policiesOf({ fields }: LeavingPage): readonly string[] {
  return [...fields('content-security-policy'), ...fields('content-security-policy-report-only')];
}

/** Policies that stand in the page itself: in its head, so the beginning is looked at. */
function metaPolicies(body: string | Uint8Array): string[] {
  const head = asLatin1(body, 0, 16_384);
  return [...head.matchAll(/<meta\s[^>]{0,2000}>/gi)].flatMap(([tag]) => {
    if (!/content-security-policy/i.test(tag)) return [];
    const content = /\scontent\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag);
    return [content?.[1] ?? content?.[2] ?? "default-src 'none'"];
  });
}

/** Place of the `</body>` that ends the document; undefined where it has none, or something else stands behind it. */
function findEnd(body: string | Uint8Array): number | undefined {
  const from = Math.max(0, body.length - tailLength);
  const tail = asLatin1(body, from, body.length)
    .toLowerCase()
    .replace(/<!--.*?-->/gs, (comment) => ' '.repeat(comment.length));
  const at = tail.lastIndexOf('</body');
  if (at === -1) return undefined;
  return /^<\/body\s*>\s*(?:<\/html\s*>\s*)?$/.test(tail.slice(at)) ? from + at : undefined;
}

/** Places in the text are places in the body: one character for each byte, or each unit of a string. */
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

/** The length grows, the entity tag is only weakly the same, and no cache that others use may keep the page. */
function changedFields({ fields }: LeavingPage, added: number): ReadonlyMap<string, string | undefined> {
  const changes = new Map<string, string | undefined>();
  const [length] = fields('content-length');
  if (length !== undefined) changes.set('Content-Length', String(Number(length) + added));
  const [tag] = fields('etag');
  if (tag !== undefined && !tag.startsWith('W/')) changes.set('ETag', `W/${tag}`);
  changes.set('Cache-Control', privateControl(fields('cache-control').join(',')));
  for (const name of sharedCacheHeaders) if (fields(name).length > 0) changes.set(name, undefined);
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

/** Whether a browser requests a page for a window: responses to scripts, images and programs stay as they are. */
export function isPageRequest({ method, headers }: HttpRequest): boolean {
  if (method === 'HEAD' || headers.has('range') || headers.has('x-requested-with')) return false;
  const destination = headers.get('sec-fetch-dest');
  if (destination !== undefined) return destination === 'document';
  return (headers.get('accept') ?? '').includes('text/html');
}
