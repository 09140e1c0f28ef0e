import type { HttpRequest } from '#http';
import { webErrors } from '../error-codes.js';
import type { CorsOptions } from './cors-options.js';

type OriginTest = (origin: string, request: HttpRequest) => boolean;

/** Decides of origins as the option says. Throws `WEB_CORS_ORIGIN` for an entry that can never be one. */
export function createOriginTest(origins: NonNullable<CorsOptions['origins']>): OriginTest {
  if (typeof origins === 'function') return origins;
  if (origins === '*') return () => true;
  const exact = new Set<string>();
  const families: { readonly start: string; readonly end: string }[] = [];
  for (const origin of origins) {
    const example = origin.replace('://*.', '://any.');
    if (origin !== 'null' && (example.includes('*') || !isOrigin(example)))
      throw webErrors.create('WEB_CORS_ORIGIN', { origin });
    const star = origin.indexOf('://*.');
    if (star === -1) exact.add(origin);
    else families.push({ start: origin.slice(0, star + 3), end: origin.slice(star + 4) });
  }
  return (origin) => exact.has(origin) || families.some((family) => isSubdomain(origin, family));
}

/** One or more whole labels stand for the star. */
function isSubdomain(origin: string, { start, end }: { start: string; end: string }): boolean {
  if (!origin.startsWith(start) || !origin.endsWith(end)) return false;
  const labels = origin.slice(start.length, origin.length - end.length);
  return /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i.test(labels);
}

function isOrigin(text: string): boolean {
  try {
    const { origin, protocol } = new URL(text);
    // Other schemes (of browser extensions and apps) have no origin to the URL standard.
    return origin === 'null' ? text.startsWith(`${protocol}//`) && !/[\s?#]/.test(text) : origin === text;
  } catch {
    return false;
  }
}
