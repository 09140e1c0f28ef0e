/**
 * Renders a Content-Disposition (RFC 6266) that suggests a file name. Non-ASCII names are encoded by RFC 8187, with an
 * ASCII fallback for old clients. Only the last segment of a path is used.
 */
export function contentDisposition(
  filename: string | undefined,
  type: 'attachment' | 'inline' = 'attachment',
): string {
  if (filename === undefined) return type;
  const name = lastName(filename);
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const extended = plain === name ? '' : `; filename*=UTF-8''${encodeValue(name)}`;
  return `${type}; filename="${plain}"${extended}`;
}

function lastName(filename: string): string {
  const name = filename
    .slice(filename.lastIndexOf('/') + 1)
    .slice(-200)
    // eslint-disable-next-line no-control-regex -- control characters are removed
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/\p{Surrogate}/gu, '\ufffd');
  const bare = name.slice(name.lastIndexOf('\\') + 1);
  return bare === '' || bare === '.' || bare === '..' ? 'download' : bare;
}

/** Percent-encodes a value, including the characters that `encodeURIComponent` keeps but RFC 8187's attr-char excludes. */
function encodeValue(text: string): string {
  return encodeURIComponent(text).replace(
    /['()*]/g,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
