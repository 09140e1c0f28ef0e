import type { RequestHeaders } from './request-headers.js';
import type { RequestSource } from './request-source.js';
import type { TrustPolicy } from './trust-policy.js';

/** A request, as far as its fields, the other end of its connection and the trust policy are concerned. */
export interface RequestBasis {
  readonly source: Pick<RequestSource, 'peer'>;
  readonly headers: RequestHeaders;
  readonly trust: TrustPolicy | undefined;
}

interface Remembered<Answer> {
  readonly headers: RequestHeaders;
  readonly address: string;
  readonly encrypted: boolean;
  readonly trust: TrustPolicy | undefined;
  readonly answer: Answer;
}

/**
 * The same function with its last answer kept, as clients send the same fields again and again. It may depend on nothing
 * but the basis of the request that it is asked for, without the port and the certificate of the peer; what it throws is
 * not kept.
 */
export function rememberAnswer<Asked extends RequestBasis, Answer>(
  ask: (asked: Asked) => Answer,
): (asked: Asked) => Answer {
  let last: Remembered<Answer> | undefined;
  return (asked) => {
    const { source, headers, trust } = asked;
    const { address, encrypted } = source.peer;
    if (
      last?.headers === headers &&
      last.address === address &&
      last.encrypted === encrypted &&
      last.trust === trust
    )
      return last.answer;
    const answer = ask(asked);
    last = { headers, address, encrypted, trust, answer };
    return answer;
  };
}
