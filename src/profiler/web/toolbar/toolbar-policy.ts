type Directives = ReadonlyMap<string, readonly string[]>;

/**
 * Evaluates Content-Security-Policy fields (CSP level 3) like a browser: the toolbar's script is loaded from the page's
 * own origin and connects to it. Every policy must allow both, including report-only ones, because the toolbar must not
 * cause reports. Sandboxed pages get no toolbar. Returns the nonce required by the script, empty if none; undefined if
 * the script is forbidden.
 */
export function findToolbarNonce(fields: readonly string[], origin: string): string | undefined {
  const policies = fields.flatMap((field) => field.split(',')).map(parseDirectives);
  const nonces = policies
    .flatMap(scriptSources)
    .flatMap((source) => /^'nonce-([A-Za-z0-9+/_-]+={0,2})'$/i.exec(source)?.[1] ?? []);
  return [...nonces, ''].find((nonce) => policies.every((policy) => allowsToolbar(policy, nonce, origin)));
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

function allowsToolbar(policy: Directives, nonce: string, origin: string): boolean {
  if (policy.has('sandbox')) return false;
  const connect = policy.get('connect-src') ?? policy.get('default-src') ?? ['*'];
  if (!connect.some((source) => isOwn(source, origin))) return false;
  const scripts = scriptSources(policy);
  if (nonce !== '' && scripts.includes(`'nonce-${nonce}'`)) return true;
  if (scripts.some((source) => source.toLowerCase() === "'strict-dynamic'")) return false;
  return scripts.some((source) => isOwn(source, origin));
}

/** Returns whether a source expression matches the page's origin. Wildcards inside a host are not evaluated. */
function isOwn(source: string, origin: string): boolean {
  const text = source.toLowerCase();
  const scheme = origin.slice(0, origin.indexOf(':') + 1);
  return text === "'self'" || text === '*' || text === origin || text === 'http:' || text === scheme;
}
