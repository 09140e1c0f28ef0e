import { sameName } from '../headers/request-headers.js';

/**
 * Fields about one connection (RFC 9110 section 7.6.1), which end at a proxy, like the fields named by `Connection`.
 */
const connectionFields = 'connection keep-alive proxy-connection te trailer transfer-encoding upgrade'.split(
  ' ',
);
/** Whether a field, in lower case, is about the connection rather than the message. */
export function isConnectionField(name: string): boolean {
  return connectionFields.includes(name);
}

/** Fields that are wrong once a body is decoded: its coding, and its length and digests as sent. */
export const encodedFields: readonly string[] =
  'content-encoding content-length content-digest repr-digest digest content-md5'.split(' ');

/** Whether a value is a web `Response`, also of a class other than Node's, as in the package undici. */
export function isWebResponse(value: object): value is Response {
  if (value instanceof Response) return true;
  return Object.prototype.toString.call(value) === '[object Response]' && 'headers' in value;
}

/**
 * Returns the headers of a web `Response` that apply to its body. For a `fetch()` response, whose compressed body is
 * decoded, this omits the headers that describe the compressed body and the connection.
 */
export function webFields(web: Response): (readonly [name: string, value: string])[] {
  const fields = [...web.headers];
  if (!isFetched(web)) return fields;
  const dropped = [...connectionFields, ...commaListOf(web.headers.get('connection'))];
  if (isDecoded(web.headers.get('content-encoding'))) dropped.push(...encodedFields);
  return fields.filter(([name]) => !dropped.some((other) => sameName(other, name)));
}

/** Whether a response comes from `fetch()`: a constructed one has no URL and the type `default`. */
function isFetched({ type, url }: Response): boolean {
  return url !== '' || (type !== 'default' && type !== 'error');
}

/** Whether `fetch()` decodes a body with these codings: all of them, or none if it does not know one. */
function isDecoded(encoding: string | null): boolean {
  const codings = commaListOf(encoding);
  return codings.length > 0 && codings.every((coding) => decodedCodings.has(coding));
}

/** Returns a list field's items in lower case. */
export function commaListOf(field: string | null | undefined): string[] {
  const items = (field ?? '').toLowerCase().split(',');
  return items.map((item) => item.trim()).filter((item) => item !== '');
}

const decodedCodings: ReadonlySet<string> = new Set([
  'gzip',
  'x-gzip',
  'deflate',
  'br',
  ...(decodesZstd(process.versions['undici']) ? ['zstd'] : []),
]);

/** Whether this Node version's `fetch()` (undici) decodes zstd, as it does since 7.11. */
function decodesZstd(undici = '0.0'): boolean {
  const [major = 0, minor = 0] = undici.split('.').map(Number);
  return major > 7 || (major === 7 && minor >= 11);
}
