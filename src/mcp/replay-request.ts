import { isLoopbackHost } from '#http';
import type { ProfileRecord } from '#profiler';

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
  /** Header fields that were not sent. */
  readonly leftOut: readonly string[];
}

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const connectionHeaders =
  /^(?:host|connection|content-length|transfer-encoding|keep-alive|upgrade|te|trailer|expect|accept-encoding|proxy-.*|:.*)$/i;
const redactedPattern = /\[redacted\]|\*{6,}|%5Bredacted%5D/i;
const timeoutMs = 10_000;
const maxBodyLength = 2000;

/** Sends a recorded request again, without what was redacted. A sentence says why it cannot be. */
export async function replayRequest(
  { request }: ProfileRecord,
  { to, mayWrite }: ReplayOptions,
): Promise<ReplayAnswer | string> {
  const { method, target, scheme, host, headers, body } = request;
  if (!safeMethods.has(method) && !mayWrite)
    return `${method} may change something: it is sent with --write only.`;
  if (!target.startsWith('/')) return `The target ${target.slice(0, 100)} is no path.`;
  const name = host.replace(/:\d+$/, '').toLowerCase();
  // The Host field is the client's word: a record must not make this machine ask any other.
  if (to === undefined && !isLoopbackHost(name))
    return `The record names the host ${name}: say where to send it.`;
  if (body !== null && !safeMethods.has(method) && (body.cut || redactedPattern.test(body.content)))
    return 'Its body was not kept whole.';
  const sent = new Headers();
  const leftOut = headers.filter(
    ([field, value]) => connectionHeaders.test(field) || redactedPattern.test(value),
  );
  for (const pair of headers) if (!leftOut.includes(pair)) sent.append(pair[0], pair[1]);
  const content =
    body === null || safeMethods.has(method)
      ? undefined
      : Buffer.from(body.content, body.encoding === 'text' ? 'utf8' : 'base64');
  try {
    const response = await fetch(new URL(target, to ?? `${scheme}://${host}`), {
      method,
      headers: sent,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      ...(content === undefined ? {} : { body: content }),
    });
    return {
      status: response.status,
      token: response.headers.get('x-debug-token') ?? undefined,
      body: (await response.text()).slice(0, maxBodyLength),
      leftOut: leftOut.map(([field]) => field),
    };
  } catch (error) {
    return `It could not be sent: ${error instanceof Error ? error.message : 'unknown'}.`;
  }
}
