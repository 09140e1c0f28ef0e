/** Whether the policies of a page allow the toolbar, and with which nonce. */
export type ToolbarPolicy =
  | { readonly isAllowed: false }
  | { readonly isAllowed: true; readonly nonce?: string };

type Directives = ReadonlyMap<string, readonly string[]>;

const maxPolicies = 10;

/**
 * Evaluates Content-Security-Policy fields (CSP level 3) as a browser would: the toolbar's script is loaded from the page's
 * own origin and connects to it. Each policy must allow both; report-only policies too, since the toolbar must not cause
 * reports. A sandboxed page gets no toolbar.
 */
export function readToolbarPolicy(fields: readonly string[], origin: string): ToolbarPolicy {
  const policies = fields.flatMap((field) => field.split(',')).map(parseDirectives);
  if (policies.length > maxPolicies) return { isAllowed: false };
  const nonces = policies.flatMap((policy) => scriptSources(policy).flatMap(nonceOf));
  for (const nonce of [...nonces, undefined]) {
    if (!policies.every((policy) => allowsToolbar(policy, { nonce, origin }))) continue;
    return nonce === undefined ? { isAllowed: true } : { isAllowed: true, nonce };
  }
  return { isAllowed: false };
}

function parseDirectives(policy: string): Directives {
  const directives = new Map<string, readonly string[]>();
  for (const directive of policy.split(';')) {
    const [name = '', ...sources] = directive.trim().split(/[ \t\n\f\r]+/);
    if (name !== '' && !directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), sources);
  }
  return directives;
}

function scriptSources(policy: Directives): readonly string[] {
  return policy.get('script-src-elem') ?? policy.get('script-src') ?? policy.get('default-src') ?? ['*'];
}

function nonceOf(source: string): string[] {
  const nonce = /^'nonce-([A-Za-z0-9+/_-]+={0,2})'$/i.exec(source)?.[1];
  return nonce === undefined ? [] : [nonce];
}

function allowsToolbar(
  policy: Directives,
  { nonce, origin }: { readonly nonce: string | undefined; readonly origin: string },
): boolean {
  if (policy.has('sandbox')) return false;
  const connect = policy.get('connect-src') ?? policy.get('default-src') ?? ['*'];
  if (!connect.some((source) => isOwn(source, origin))) return false;
  const scripts = scriptSources(policy);
  if (nonce !== undefined && scripts.includes(`'nonce-${nonce}'`)) return true;
  if (scripts.some((source) => source.toLowerCase() === "'strict-dynamic'")) return false;
  return scripts.some((source) => isOwn(source, origin));
}

/** Returns whether a source expression matches the page's origin. Wildcards inside a host are not evaluated. */
function isOwn(source: string, origin: string): boolean {
  const text = source.toLowerCase();
  const scheme = origin.slice(0, origin.indexOf(':') + 1);
  return text === "'self'" || text === '*' || text === origin || text === 'http:' || text === scheme;
}
