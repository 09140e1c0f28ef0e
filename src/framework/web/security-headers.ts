import { randomBytes } from 'node:crypto';
import {
  checkOptions,
  either,
  flag,
  listOf,
  oneOf,
  optionsSchema,
  type OptionsSchema,
  optionType,
  namesTo,
  text,
} from '#core/options';
import type { HttpRequest } from '#core/http';
import { kernelListener, kernelPriority, responseEvent } from '#framework/kernel';
import { type Scope, type ScopeKey, createScopeKey, currentScope } from '#core/scope';
import { createPathMatcher, pathList, type WebExtension, webErrors } from './web-extension.js';

export interface SecurityHeadersOptions {
  /** Directives that override the defaults; false for no policy. */
  readonly contentSecurityPolicy?: ContentSecurityPolicy | false;
  /** Sends the policy as `Content-Security-Policy-Report-Only`: browsers report violations but do not block them. */
  readonly reportOnly?: boolean;
  /** Headers that replace the defaults; false removes one. */
  readonly headers?: Readonly<Record<string, string | false>>;
  /** Only these paths and everything below them. Default: all. */
  readonly paths?: readonly string[];
}

/** Field that is only sent over HTTPS; its default requires HTTPS for half a year. */
const hstsHeader = 'strict-transport-security';

const defaults: Readonly<Record<string, string>> = {
  'Strict-Transport-Security': 'max-age=15552000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

export const securityHeadersSchema: OptionsSchema<SecurityHeadersOptions> =
  optionsSchema<SecurityHeadersOptions>({
    contentSecurityPolicy: either(
      namesTo(
        either(
          listOf(text),
          optionType<null>('null', (value) => value === null),
        ),
      ),
      oneOf(false),
    ),
    reportOnly: flag,
    headers: namesTo(either(text, oneOf(false))),
    paths: pathList,
  });

/**
 * Sends headers that restrict what the site may do. Keeps headers that the response already has.
 * `Strict-Transport-Security` is only sent over HTTPS. Throws `WEB_BAD_OPTION`.
 */
export function securityHeaders(options: SecurityHeadersOptions = {}): WebExtension {
  checkOptions('securityHeaders()', options, securityHeadersSchema);
  const { contentSecurityPolicy: policy = {}, paths } = options;
  const fields = headersToSend(options.headers ?? {});
  const policyOf = policy === false ? undefined : createPolicyWriter(policy);
  const policyName =
    options.reportOnly === true ? 'Content-Security-Policy-Report-Only' : 'Content-Security-Policy';
  const isMeant = createPathMatcher(paths);
  return {
    name: 'security headers',
    listeners: [
      kernelListener(
        responseEvent,
        ({ request, response: { headers } }) => {
          if (!isMeant(request)) return;
          for (const [name, value] of fields) {
            if (headers.has(name) || (name.toLowerCase() === hstsHeader && request.scheme !== 'https'))
              continue;
            headers.set(name, value);
          }
          if (policyOf !== undefined && !headers.has(policyName)) headers.set(policyName, policyOf(request));
        },
        { name: 'security headers', priority: kernelPriority.response.webHeaders },
      ),
    ],
  };
}

/** Merges the defaults and the given headers; names are case-insensitive. */
function headersToSend(own: Readonly<Record<string, string | false>>): [name: string, value: string][] {
  const fields = new Map<string, [string, string | false]>();
  for (const [name, value] of [...Object.entries(defaults), ...Object.entries(own)])
    fields.set(name.toLowerCase(), [name, value]);
  return [...fields.values()].flatMap(([name, value]) => (value === false ? [] : [[name, value]]));
}

/** Sources by directive; null removes a default, and an empty list is a directive without sources. */
export type ContentSecurityPolicy = Readonly<Record<string, readonly string[] | null>>;

/** Allows only the site's own scripts, styles and forms, and no framing by other sites. */
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
 * Returns a request's nonce for `<script nonce=…>` and `<style nonce=…>`. After the first call, the response's policy
 * contains it. Default: the current request. Throws `WEB_NO_REQUEST` outside requests.
 */
export function cspNonce(request?: HttpRequest): string {
  const scope: Scope | undefined = request?.scope ?? currentScope();
  if (scope === undefined) throw webErrors.create('WEB_NO_REQUEST', {});
  let nonce = scope.getOwn(nonceKey);
  if (nonce === undefined) scope.set(nonceKey, (nonce = randomBytes(16).toString('base64url')));
  return nonce;
}

/** Creates the function that renders a response's policy. Throws `WEB_BAD_OPTION` for invalid directives. */
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
    takes: 'directive names with lists of sources, one source per string',
  });
}
