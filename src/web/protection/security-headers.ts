import { kernelListener, responseEvent } from '#kernel';
import { createPathMatcher } from '../path-matcher.js';
import type { WebExtension } from '../web-extension.js';
import { webPriority } from '../web-priority.js';
import type { ContentSecurityPolicy } from './content-security-policy.js';
import { createPolicyWriter } from './content-security-policy.js';

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

/** Field that is sent over HTTPS only; its default requires HTTPS for half a year. */
const hstsHeader = 'strict-transport-security';

const defaults: Readonly<Record<string, string>> = {
  'Strict-Transport-Security': 'max-age=15552000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * Sends headers that restrict what the site may do. Headers that the answer already has are kept.
 * `Strict-Transport-Security` is sent over HTTPS only. Throws `WEB_BAD_OPTION`.
 */
export function securityHeaders(options: SecurityHeadersOptions = {}): WebExtension {
  const { contentSecurityPolicy: policy = {}, paths } = options;
  const fields = fieldsOf(options.headers ?? {});
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
        { name: 'security headers', priority: webPriority.response.headers },
      ),
    ],
  };
}

/** Merges the defaults and the given headers; names are case-insensitive. */
function fieldsOf(own: Readonly<Record<string, string | false>>): [name: string, value: string][] {
  const fields = new Map<string, [string, string | false]>();
  for (const [name, value] of [...Object.entries(defaults), ...Object.entries(own)])
    fields.set(name.toLowerCase(), [name, value]);
  return [...fields.values()].flatMap(([name, value]) => (value === false ? [] : [[name, value]]));
}
