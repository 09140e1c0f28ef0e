import { httpErrors } from '../failures/error-codes.js';

/** The parts of a request target (RFC 9112 section 3.2), as sent. */
export interface RequestTarget {
  /** `unknown` if the method allows no such target; `validateRequest` refuses it. */
  readonly form: 'origin' | 'absolute' | 'authority' | 'asterisk' | 'unknown';
  /** Host and port of an absolute or authority form. */
  readonly authority: string | undefined;
  /** Percent-encoding kept. Empty for the authority form, `*` for the asterisk form. */
  readonly rawPath: string;
  /** Without the question mark. */
  readonly rawQuery: string;
}

// A URI has no control characters, spaces or non-ASCII characters (RFC 3986 section 2).
const nonUriCharacters = /[^\x21-\x7e]/;

/** Parses a request target. Never throws. */
export function readRequestTarget(method: string, target: string): RequestTarget {
  if (method === 'CONNECT') {
    return { form: 'authority', authority: target, rawPath: '', rawQuery: '' };
  }
  if (target.startsWith('/')) return split('origin', undefined, target);
  if (target === '*' && method === 'OPTIONS') {
    return { form: 'asterisk', authority: undefined, rawPath: '*', rawQuery: '' };
  }
  const scheme = /^https?:\/\//i.exec(target)?.[0];
  if (scheme === undefined) return split('unknown', undefined, target);
  const rest = target.slice(scheme.length);
  const end = rest.search(/[/?#]/);
  const authority = end === -1 ? rest : rest.slice(0, end);
  const path = end === -1 ? '/' : rest.slice(end);
  return split('absolute', authority, path.startsWith('/') ? path : `/${path}`);
}

function split(
  form: 'origin' | 'absolute' | 'unknown',
  authority: string | undefined,
  text: string,
): RequestTarget {
  const mark = text.indexOf('?');
  if (mark === -1) return { form, authority, rawPath: text, rawQuery: '' };
  return { form, authority, rawPath: text.slice(0, mark), rawQuery: text.slice(mark + 1) };
}

/** Throws `HTTP_TARGET_MALFORMED` if the target has an unknown form or characters that a URI cannot have. */
export function assertTarget(target: string, { form }: RequestTarget): void {
  if (nonUriCharacters.test(target))
    throw malformed(`the character at position ${target.search(nonUriCharacters)} must be percent-encoded`);
  if (form === 'unknown') throw malformed('it is neither a path nor an http URL');
  if (target.includes('#')) throw malformed('it has a fragment');
}

function malformed(reason: string): Error {
  return httpErrors.create('HTTP_TARGET_MALFORMED', { reason });
}
