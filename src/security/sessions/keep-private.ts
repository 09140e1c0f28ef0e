import type { HttpResponse } from '#http';

/**
 * Keeps an answer that holds one visitor's cookie or token out of shared caches, whatever the application said of it;
 * `no-store`, which is stricter, stays.
 */
export function keepPrivate({ headers }: HttpResponse): void {
  if (/(?:^|,)\s*no-store\s*(?:,|$)/i.test(headers.get('cache-control') ?? '')) return;
  headers.set('Cache-Control', 'private, no-cache');
}
