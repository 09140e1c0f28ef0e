/**
 * Encodes a decoded path for a URL (RFC 3986): characters that are not allowed in a path become `%XX`, including `%`,
 * so that decoding once restores the path. A second slash at the start is encoded too, because `//` would begin a host
 * name.
 */
export function encodePath(path: string): string {
  const encoded = percentEncode(path).replace(/%(2F|40|3A|3B|2C|3D|2B|21|2A|7C)/g, decodeOne);
  return encoded.startsWith('//') ? `/%2F${encoded.slice(2)}` : encoded;
}

/** Encodes a key or value of a query, or a fragment. Spaces become `%20`; `/ ? : @ ! ; , *` are not encoded. */
export function encodeQueryPart(text: string): string {
  return percentEncode(text).replace(/%(2F|3F|40|3A|21|3B|2C|2A)/g, decodeOne);
}

/**
 * Renders values as a query without `?`. null and undefined are omitted, true is 1, false is 0, lists and records become
 * `a[0]=…` and `a[key]=…`. Nesting is limited to 16 levels.
 */
export function renderQuery(values: ReadonlyMap<string, unknown>): string {
  return [...values].flatMap(([key, value]) => queryPairs(key, value, 0)).join('&');
}

function queryPairs(key: string, value: unknown, depth: number): string[] {
  if (value === undefined || value === null || depth > 16) return [];
  if (value instanceof Date) return [pair(key, value.toISOString())];
  if (typeof value === 'object') {
    return Object.entries(value).flatMap(([inner, one]) => queryPairs(`${key}[${inner}]`, one, depth + 1));
  }
  const text = scalarText(value);
  return text === undefined ? [] : [pair(key, text)];
}

function pair(key: string, text: string): string {
  return `${encodeQueryPart(key)}=${encodeQueryPart(text)}`;
}

/** Returns the text of a string, number, bigint or boolean (1 and 0); undefined for everything else. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}

function percentEncode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function decodeOne(encoded: string): string {
  return decodeURIComponent(encoded);
}

/** Returns the relative reference from one path to another (RFC 3986, 4.2). Both are encoded and begin with a slash. */
export function relativePath(from: string, to: string): string {
  if (from === to) return '';
  const source = from.slice(1).split('/').slice(0, -1);
  const target = to.slice(1).split('/');
  let same = 0;
  while (same < source.length && same < target.length - 1 && source[same] === target[same]) same += 1;
  const path = '../'.repeat(source.length - same) + target.slice(same).join('/');
  // Without `./`, an empty reference would keep the last segment, a leading slash would be absolute, a colon would end a scheme.
  return path === '' || path.startsWith('/') || /^[^/]*:/.test(path) ? `./${path}` : path;
}
