import { ForbiddenError } from '#core/errors';
import { type HttpRequest, safeMediaType } from '#core/http';
import type { MatchResult, Route } from '#core/routing';

/** Methods that a form may name. GET is not among them: a POST must not look safe. */
const namedMethods = ['PUT', 'PATCH', 'DELETE'] as const;

export interface FormMethodOptions {
  /** Whether a route lets forms name its method. */
  readonly isTaken: (route: Route) => boolean;
  /** Matches the request as if it had another method. */
  readonly find: (method: string) => MatchResult;
}

/**
 * Reads the `_method` field of a posted form, which names the method to route by. The form is read only if a route with
 * its path accepts such methods; a form with files only if no route accepts the POST itself, which may want to read
 * them as they arrive. Resolves to undefined if the field names none of these methods. Throws a 403 error for another
 * site's form.
 */
export function readFormMethod(
  request: HttpRequest,
  posted: MatchResult,
  { isTaken, find }: FormMethodOptions,
): Promise<string | undefined> | undefined {
  // X-HTTP-Method-Override takes precedence.
  if (request.method !== 'POST' || request.source.method !== 'POST') return undefined;
  const type = safeMediaType(request)?.essence;
  const isForm =
    type === 'application/x-www-form-urlencoded' ||
    (type === 'multipart/form-data' && posted.kind !== 'match');
  if (!isForm) return undefined;
  const taken = namedMethods.filter((method) => {
    const result = find(method);
    return result.kind === 'match' && isTaken(result.route);
  });
  return taken.length === 0 ? undefined : readMethod(request, taken);
}

async function readMethod(request: HttpRequest, taken: readonly string[]): Promise<string | undefined> {
  const named = (await request.form()).get('_method')?.toUpperCase();
  if (named === undefined || !taken.includes(named)) return undefined;
  if (isFromOwnPage(request)) return named;
  throw new ForbiddenError(
    `The form that overrides the method with ${named} did not come from a page on this site.`,
  );
}

/**
 * Whether a page of this origin sent the form. Other sites can post forms, but cannot send a PUT, PATCH or DELETE
 * without a preflight request, which they must not be able to bypass, even if no firewall checks them.
 */
function isFromOwnPage({ headers, origin }: HttpRequest): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const from = headers.get('origin');
  if (from !== undefined) return from === origin;
  return !headers.has('cookie') && !headers.has('authorization'); // a program, without a browser's login
}
