import type { HttpRequest } from '#http';

/**
 * Returns why a form is refused; undefined if a page of this origin sent it, as the browser says by Origin or
 * Sec-Fetch-Site.
 */
export function foreignForm({ headers, origin: own }: HttpRequest): string | undefined {
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  if (origin === undefined && site === undefined) return 'the browser did not say which page sent it';
  return (origin ?? own) === own && (site ?? 'same-origin') === 'same-origin'
    ? undefined
    : 'a page of another origin sent it';
}

/** Returns the cookies of a request without the profiler's own. */
export function cookiesOfApplication(header: string): string {
  return header
    .split(/;\s*/)
    .filter((pair) => !pair.startsWith('lookback_') && pair !== '')
    .join('; ');
}
