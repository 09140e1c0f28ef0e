/** Path and query of an absolute or relative URL, without parsing what may not parse. */
export function splitUrl(url: string): readonly [path: string, query: string] {
  const rest = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const mark = rest.indexOf('?');
  return mark === -1 ? [rest === '' ? '/' : rest, ''] : [rest.slice(0, mark), rest.slice(mark)];
}
