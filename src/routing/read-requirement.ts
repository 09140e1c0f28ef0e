import { routingErrors } from './error-codes.js';
import { underline } from './parse-pattern.js';

/** A requirement that is safe to be put into the middle of a larger expression. */
export interface ReadRequirement {
  /** JavaScript source for flags `su`: no anchors, no captures. */
  readonly source: string;
  readonly canBeEmpty: boolean;
  readonly canHoldSlash: boolean;
}

const known = new Map<string, ReadRequirement>();

/** Reads the requirement of one variable. @throws ROUTING_BAD_REQUIREMENT with the place underlined */
export function readRequirement(
  written: string,
  place: { route: string; variable: string },
): ReadRequirement {
  const earlier = known.get(written);
  if (earlier !== undefined) return earlier;
  const fail = (problem: string, at: number, length: number): never => {
    throw routingErrors.create('ROUTING_BAD_REQUIREMENT', {
      ...place,
      problem,
      underlined: underline(written, at, length),
    });
  };
  const source = withoutCaptures(withoutAnchors(written), fail);
  if (source === '') fail('is empty', 0, written.length);
  const read = { source, canBeEmpty: false, canHoldSlash: mayHoldSlash(source) };
  try {
    const canBeEmpty = new RegExp(`^(?:${source})$`, 'su').test('');
    if (known.size < 10_000) known.set(written, { ...read, canBeEmpty });
    return { ...read, canBeEmpty };
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*: (?=[^:]*$)/s, '') : 'it is malformed';
    return fail(`is no valid regular expression: ${reason}`, 0, written.length);
  }
}

function withoutAnchors(written: string): string {
  const start = /^(?:\^|\\A)/.exec(written)?.[0].length ?? 0;
  const rest = written.slice(start);
  const end = /(?<!\\)(?:\\\\)*(\$|\\z|\\Z)$/.exec(rest)?.[1]?.length ?? 0;
  return rest.slice(0, rest.length - end);
}

/** Groups stop capturing, needless escapes go; what cannot be linear or has no counterpart is refused. */
function withoutCaptures(text: string, fail: (problem: string, at: number, length: number) => never): string {
  let result = '';
  let inClass = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '\\') {
      const escaped = text.charAt(at + 1);
      if (/[1-9k]/.test(escaped))
        fail('refers back to a group, which cannot be matched in linear time', at, 2);
      result += /[!"#%&'`~:;<=>@_, ]/.test(escaped) ? escaped : `\\${escaped}`;
      at += 1;
      continue;
    }
    if (char === '[') inClass = true;
    if (char === ']') inClass = false;
    if (char !== '(' || inClass) {
      result += char;
      continue;
    }
    const named = /^\(\?(?:P?<\p{L}\w*>|'\w+')/u.exec(text.slice(at));
    if (named !== null) at += named[0].length - 1;
    const kept = /^\(\?(?::|=|!|<=|<!)/.test(text.slice(at));
    if (named === null && !kept && text.charAt(at + 1) === '?') {
      fail('holds a kind of group that JavaScript does not have', at, 3);
    }
    result += named !== null || !kept ? '(?:' : '(';
  }
  return result;
}

/** False only where it is certain. */
function mayHoldSlash(source: string): boolean {
  const bare = source.replace(/\\[dw.-]|\\p\{[LN][a-z]?\}/g, '').replace(/[A-Za-z0-9]-[A-Za-z0-9]/g, '');
  return (
    !/^(?:[\w|(){},?:*+[\]-])*$/.test(bare) || /\[\^|\[[^\]]*[^[\]]-[^\]]/.test(bare) || bare.includes('(?!')
  );
}
