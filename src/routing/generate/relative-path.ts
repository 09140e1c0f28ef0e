/** Reference that leads from one path to another (RFC 3986, 4.2). Both are encoded and begin with a slash. */
export function relativePath(from: string, to: string): string {
  if (from === to) return '';
  const source = from.slice(1).split('/').slice(0, -1);
  const target = to.slice(1).split('/');
  let same = 0;
  while (same < source.length && same < target.length - 1 && source[same] === target[same]) same += 1;
  const path = '../'.repeat(source.length - same) + target.slice(same).join('/');
  // An empty reference would keep the file, a leading slash the host only, a colon would end a scheme.
  return path === '' || path.startsWith('/') || /^[^/]*:/.test(path) ? `./${path}` : path;
}
