import type { HttpRequest, HttpResponse } from '#http';
import { createScopeKey, currentScope, runInScope, type ScopeKey } from '#scope';

const paneKey: ScopeKey<boolean> = createScopeKey('whether the profiler’s page is in the pane');

/** Shows a page, and notes for its shell whether it is in the pane beside the list, as the browser says. */
export function showFramed(
  { headers, scope }: HttpRequest,
  show: () => HttpResponse | Promise<HttpResponse>,
): HttpResponse | Promise<HttpResponse> {
  const isFramed =
    headers.get('sec-fetch-dest') === 'iframe' && headers.get('sec-fetch-site') === 'same-origin';
  scope.set(paneKey, isFramed);
  return runInScope(scope, show);
}

/** Returns whether the page that is being rendered is shown in the pane beside the list, and needs no header of its own. */
export function isInPane(): boolean {
  return currentScope()?.get(paneKey) ?? false;
}
