import type { HttpRequest, RequestHeaders } from '#http';
import type { AccessDecision, AccessGuard } from './access.js';

/** All that a decision depends on, for a request whose target is a path. */
interface Asked {
  readonly trust: HttpRequest['trust'];
  readonly address: string;
  readonly encrypted: boolean;
  readonly headers: RequestHeaders;
  readonly decision: AccessDecision;
}

/**
 * The same guard, with its last decision kept: a client sends the same header fields again and again.
 */
export function rememberDecision(guard: AccessGuard): AccessGuard {
  let last: Asked | undefined;
  return (request) => {
    const { source, trust, headers } = request;
    if (source.authority !== undefined || !source.target.startsWith('/')) return guard(request);
    const { address, encrypted } = source.peer;
    if (
      last?.address === address &&
      last.encrypted === encrypted &&
      last.trust === trust &&
      last.headers === headers
    )
      return last.decision;
    const decision = guard(request);
    last = { trust, address, encrypted, headers, decision };
    return decision;
  };
}
