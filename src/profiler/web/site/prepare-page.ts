import type { HttpRequest } from '#http';
import { createScopeKey, currentScope, type ScopeKey } from '#scope';
import { prepareFormToken } from './form-token.js';

/** Facts about the request that the shell of a page needs. */
export interface PageAddress {
  /** Query of the request. */
  readonly query: string;
  /** Whether the page is shown in the pane next to the list and therefore needs no header. */
  readonly isPane: boolean;
}

const requestAddress: ScopeKey<PageAddress> = createScopeKey('address of the profiler’s page');

/** Returns the address of the page that is being rendered. */
export function currentAddress(): PageAddress {
  return currentScope()?.get(requestAddress) ?? { query: '', isPane: false };
}

/** Notes the facts that the shell needs in the request's scope, before the page is rendered. */
export function preparePage(request: HttpRequest, prefix: string): void {
  const { headers, scope, rawQuery: query } = request;
  const isPane =
    headers.get('sec-fetch-dest') === 'iframe' && headers.get('sec-fetch-site') === 'same-origin';
  scope.set(requestAddress, { query, isPane });
  prepareFormToken(request, prefix);
}
