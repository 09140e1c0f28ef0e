import { securityErrors } from '../errors/error-codes.js';

/**
 * Which paths something holds for: `"/admin"` is that path and all below it (never `/administrator`), `"/{any}/admin"`
 * allows one segment of any text, a regular expression is tested against the whole path.
 */
export type PathPattern = string | RegExp;

/** Makes the test of one or several patterns. Throws `SECURITY_BAD_PATTERN`. */
export function compilePath(pattern: PathPattern | readonly PathPattern[]): (path: string) => boolean {
  if (Array.isArray(pattern)) {
    const tests = (pattern as readonly PathPattern[]).map((one) => compilePath(one)); // Array.isArray loses readonly arrays
    return (path) => tests.some((test) => test(path));
  }
  const single = pattern as PathPattern; // arrays were dealt with above
  return typeof single === 'string' ? compileText(single) : compileExpression(single);
}

function compileExpression(expression: RegExp): (path: string) => boolean {
  // Sticky and global expressions remember where they stopped: the next request would be tested from there.
  const stateless = new RegExp(expression.source, expression.flags.replace(/[gy]/g, ''));
  return (path) => stateless.test(path);
}

function compileText(pattern: string): (path: string) => boolean {
  if (!pattern.startsWith('/')) {
    throw securityErrors.create('SECURITY_BAD_PATTERN', {
      pattern,
      problem: 'it does not begin with a slash',
    });
  }
  const wanted = pattern.replace(/\/+$/, '').split('/').slice(1);
  for (const segment of wanted) {
    if (/[{}*]/.test(segment) && !/^\{[A-Za-z_]\w*\}$/.test(segment)) {
      throw securityErrors.create('SECURITY_BAD_PATTERN', {
        pattern,
        problem: `"${segment}" is neither text nor a placeholder`,
      });
    }
  }
  if (!wanted.some((segment) => segment.startsWith('{'))) {
    const prefix = pattern.replace(/\/+$/, '');
    return (path) => path === prefix || path.startsWith(`${prefix}/`);
  }
  return (path) => startsWithSegments(path.split('/').slice(1), wanted);
}

function startsWithSegments(segments: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((segment, index) => {
    const given = segments[index];
    return segment.startsWith('{') ? given !== undefined && given !== '' : given === segment;
  });
}
