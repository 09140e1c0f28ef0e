import type { HttpRequest } from '#http';

/** Whether a browser asks for a page to show in a window: what scripts, images and programs ask for stays as it is. */
export function isPageRequest({ method, headers }: HttpRequest): boolean {
  if (method === 'HEAD' || headers.has('range') || headers.has('x-requested-with')) return false;
  const destination = headers.get('sec-fetch-dest');
  if (destination !== undefined) return destination === 'document';
  return (headers.get('accept') ?? '').includes('text/html');
}
