import type { HttpResponse } from '#http';

/**
 * Keeps a response with a cookie or token of one visitor out of shared caches, even if the application has set another
 * `Cache-Control`. The stricter `no-store` is left unchanged.
 */
export function keepPrivate({ headers }: HttpResponse): void {
  if (/(?:^|,)\s*no-store\s*(?:,|$)/i.test(headers.get('cache-control') ?? '')) return;
  headers.set('Cache-Control', 'private, no-cache');
}
