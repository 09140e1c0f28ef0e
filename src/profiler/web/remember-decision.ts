import type { HttpRequest } from '#http';
import type { AccessDecision, AccessGuard } from './access.js';

/** All that a decision depends on, for a request whose target is a path. */
interface Asked {
  readonly trust: HttpRequest['trust'];
  readonly address: string;
  readonly encrypted: boolean;
  readonly headers: readonly string[];
  readonly decision: AccessDecision;
}

/**
 * The same guard, with its last decision kept: a client sends the same header fields again and again, and comparing
 * them costs a fraction of judging them.
 */
export function rememberDecision(guard: AccessGuard): AccessGuard {
  let last: Asked | undefined;
  return (request) => {
    const { source, trust } = request;
    if (source.authority !== undefined || !source.target.startsWith('/')) return guard(request);
    const { address, encrypted } = source.peer;
    const headers = source.rawHeaders;
    if (
      last?.address === address &&
      last.encrypted === encrypted &&
      last.trust === trust &&
      areSame(headers, last.headers)
    )
      return last.decision;
    const decision = guard(request);
    last = { trust, address, encrypted, headers, decision };
    return decision;
  };
}

function areSame(left: readonly string[], right: readonly string[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false;
  return true;
}
