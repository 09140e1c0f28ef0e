import type { ProfileRecord, RecordedCookie } from '../model/profile-record.js';
import type { RecordFinding } from './finding.js';
import { say } from '#phrases';

/** Reports cookies of the response that browsers drop, with the rule of RFC 6265bis that they break. */
export function findCookieProblems({ request, response }: ProfileRecord): readonly RecordFinding[] {
  const host = hostOf(request.url);
  return (response?.cookies ?? []).flatMap((cookie): RecordFinding[] => {
    const why = problemOf(cookie, { host, isSecure: request.scheme === 'https' });
    if (why === undefined) return [];
    const text = say('Browsers drop the cookie “{name}”: {why}', { name: cookie.name, why });
    return [{ level: 'warn', text, target: { panel: 'request' } }];
  });
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}

function problemOf(
  { name, attributes }: RecordedCookie,
  { host, isSecure }: { readonly host: string; readonly isSecure: boolean },
): string | undefined {
  const given = new Map(attributes.map(([key, value]) => [key.toLowerCase(), value]));
  const hasSecure = given.has('secure');
  const domain = given.get('domain')?.replace(/^\./, '').toLowerCase() ?? '';
  // Browsers treat this machine as secure.
  const isLocal = host === 'localhost' || host.endsWith('.localhost') || /^(?:127\.|\[::1\])/.test(host);
  if (hasSecure && !isSecure && !isLocal) return 'it is Secure, and the request came over http';
  if (given.get('samesite')?.toLowerCase() === 'none' && !hasSecure) return 'SameSite=None needs Secure';
  if (domain !== '' && host !== domain && !host.endsWith(`.${domain}`))
    return say('its Domain {domain} does not match {host}', { domain, host });
  if (/^__(?:host|secure)-/i.test(name) && !hasSecure) return 'its prefix needs Secure';
  if (/^__host-/i.test(name) && (domain !== '' || given.get('path') !== '/'))
    return 'its prefix __Host- needs Path=/ and no Domain';
  if (given.has('partitioned') && !hasSecure) return 'Partitioned needs Secure';
  return undefined;
}
