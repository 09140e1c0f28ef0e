import { randomBytes } from 'node:crypto';
import type { HttpRequest } from '#http';
import type { Scope, ScopeKey } from '#scope';
import { createScopeKey, currentScope } from '#scope';
import { webErrors } from '../error-codes.js';

/** Sources by directive; null removes one of the defaults, and an empty list is a directive without sources. */
export type ContentSecurityPolicy = Readonly<Record<string, readonly string[] | null>>;

/** Allows scripts, styles and forms of the site itself only, and no framing by other sites. */
export const defaultPolicy: ContentSecurityPolicy = {
  'default-src': ["'self'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'object-src': ["'none'"],
  'base-uri': ["'self'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'self'"],
};

const directivePattern = /^[a-z-]{1,40}$/;
const sourcePattern = /^[\x21-\x2b\x2d-\x3a\x3c-\x7e]+$/; // visible ASCII except comma and semicolon

const nonceKey: ScopeKey<string> = createScopeKey<string>('CSP nonce');

/**
 * Returns the nonce of a request for `<script nonce=…>` and `<style nonce=…>`. After the first call, the policy of the
 * answer contains it. Default: the current request. Throws `WEB_NO_REQUEST` outside of requests.
 */
export function cspNonce(request?: HttpRequest): string {
  const scope: Scope | undefined = request?.scope ?? currentScope();
  if (scope === undefined) throw webErrors.create('WEB_NO_REQUEST', {});
  let nonce = scope.getOwn(nonceKey);
  if (nonce === undefined) scope.set(nonceKey, (nonce = randomBytes(16).toString('base64url')));
  return nonce;
}

/** Creates the function that renders the policy of an answer. Throws `WEB_BAD_OPTION` for invalid directives. */
export function createPolicyWriter(own: ContentSecurityPolicy): (request: HttpRequest) => string {
  const directives = Object.entries({ ...defaultPolicy, ...own });
  for (const [name, sources] of directives) checkDirective(name, sources ?? []);
  const given = directives.flatMap(([name, sources]) => (sources === null ? [] : [{ name, sources }]));
  const write = (nonce: string | undefined): string =>
    given
      .map(({ name, sources }) => {
        const isNonced = nonce !== undefined && (name === 'script-src' || name === 'style-src');
        const kept = isNonced ? [...sources.filter((one) => one !== "'none'"), `'nonce-${nonce}'`] : sources;
        return [name, ...kept].join(' ');
      })
      .join('; ');
  const plain = write(undefined);
  return ({ scope }) => {
    const nonce = scope.getOwn(nonceKey);
    return nonce === undefined ? plain : write(nonce);
  };
}

function checkDirective(name: string, sources: readonly string[]): void {
  const bad = directivePattern.test(name) ? sources.find((source) => !sourcePattern.test(source)) : name;
  if (bad === undefined) return;
  throw webErrors.create('WEB_BAD_OPTION', {
    option: 'contentSecurityPolicy',
    what: 'securityHeaders',
    given: JSON.stringify(bad),
    takes: 'names of directives with lists of sources, one source a text',
  });
}
