import { randomBytes } from 'node:crypto';
import type { HttpRequest } from '#http';
import type { Scope, ScopeKey } from '#scope';
import { createScopeKey, currentScope } from '#scope';
import { webErrors } from '../error-codes.js';

/** Sources by directive; null removes one of the defaults, and an empty list is a directive without sources. */
export type ContentSecurityPolicy = Readonly<Record<string, readonly string[] | null>>;

/** Scripts, styles and forms of the site itself only, and no frames of other sites around it. */
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
const sourcePattern = /^[\x21-\x2b\x2d-\x3a\x3c-\x7e]+$/; // neither blank, comma nor semicolon

const nonceKey: ScopeKey<string> = createScopeKey<string>('CSP nonce');

/**
 * The nonce of a request for `<script nonce=…>` and `<style nonce=…>`. From the first call on the policy of the answer
 * names it. Without a request at hand, that of the current one. Throws `WEB_NO_REQUEST` outside of any.
 */
export function cspNonce(request?: HttpRequest): string {
  const scope: Scope | undefined = request?.scope ?? currentScope();
  if (scope === undefined) throw webErrors.create('WEB_NO_REQUEST', {});
  let nonce = scope.getOwn(nonceKey);
  if (nonce === undefined) scope.set(nonceKey, (nonce = randomBytes(16).toString('base64url')));
  return nonce;
}

/** Writes the policy of an answer. Throws `WEB_BAD_OPTION` for what no policy can hold. */
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
