import { isLoopbackHost } from '#http';
import { type ProfileRecord, repeatableRequest, toFetchRequest } from '#profiler';

/** How a request is sent again. */
export interface ReplayOptions {
  /** Origin to send it to; default: the one that the record names, where it is this machine. */
  readonly to?: string;
  /** Whether a request that may change something may be sent. */
  readonly mayWrite: boolean;
}

/** What came of it. */
export interface ReplayAnswer {
  readonly status: number;
  /** Of the new record, where the answer names one. */
  readonly token: string | undefined;
  /** Beginning of the body. */
  readonly body: string;
  /** Secrets that were not sent, by the names of their fields. */
  readonly leftOut: readonly string[];
}

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const timeoutMs = 10_000;
const maxBodyLength = 2000;

/** Sends a recorded request again, without what was redacted. A sentence says why it cannot be. */
export async function replayRequest(
  record: ProfileRecord,
  { to, mayWrite }: ReplayOptions,
): Promise<ReplayAnswer | string> {
  const { method, target, scheme, host } = record.request;
  if (!safeMethods.has(method) && !mayWrite)
    return `${method} may change something: it is sent with --write only.`;
  if (!target.startsWith('/')) return `The target ${target.slice(0, 100)} is no path.`;
  const name = host.replace(/:\d+$/, '').toLowerCase();
  // The Host field is the client's word: a record must not make this machine ask any other.
  if (to === undefined && !isLoopbackHost(name))
    return `The record names the host ${name}: say where to send it.`;
  const again = repeatableRequest(record);
  if (!again.isWhole) return `The record does not hold ${again.missing.join(', ')}.`;
  try {
    const url = new URL(target, to ?? `${scheme}://${host}`);
    const response = await fetch(toFetchRequest(again, url, AbortSignal.timeout(timeoutMs)));
    return {
      status: response.status,
      token: response.headers.get('x-debug-token') ?? undefined,
      body: (await response.text()).slice(0, maxBodyLength),
      leftOut: again.missing,
    };
  } catch (error) {
    const { message, cause } = error instanceof Error ? error : new Error('unknown');
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : message;
    return `It could not be sent to ${to ?? `${scheme}://${host}`}: ${reason}.`;
  }
}
