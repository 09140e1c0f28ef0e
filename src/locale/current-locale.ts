import { requestLocale } from '#http';
import { currentScope } from '#scope';

/** The locale of the request that this code runs for; `fallback` outside any. */
export function activeLocale(fallback = 'en'): string {
  return currentScope()?.get(requestLocale) ?? fallback;
}
