import { isLoopbackHost } from '#http';
import { type ProfileRecord, repeatableRequest, toFetchRequest } from '#profiler';

/** Options for sending a request again. */
export interface ReplayOptions {
  /** Origin to send the request to; default: the record's own, if it is this machine. */
  readonly to?: string | undefined;
  /** Whether a request that may change something may be sent. Default false. */
  readonly mayWrite?: boolean | undefined;
}

/** The answer to a replayed request. */
export interface ReplayAnswer {
  readonly status: number;
  /** Token of the new record, if the response contains one. */
  readonly token: string | undefined;
  /** Beginning of the body. */
  readonly body: string;
  /** Names of the headers with secrets that were not sent. */
  readonly leftOut: readonly string[];
}

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const timeoutMs = 10_000;
const maxBodyLength = 2000;

/** Sends a recorded request again, without redacted values. Returns a sentence with the reason if it cannot. */
export async function replayRequest(
  record: ProfileRecord,
  { to, mayWrite = false }: ReplayOptions,
): Promise<ReplayAnswer | string> {
  const { method, target, scheme, host } = record.request;
  if (!safeMethods.has(method) && !mayWrite)
    return `${method} may change something: it is sent with --write only.`;
  if (!target.startsWith('/')) return `The target ${target.slice(0, 100)} is not a path.`;
  const name = host.replace(/:\d+$/, '').toLowerCase();
  // The client chose the Host header: a record must not make this machine send requests to another one.
  if (to === undefined && !isLoopbackHost(name))
    return `The record names the host ${name}, which is not this machine: pass the origin to send it to.`;
  const again = repeatableRequest(record);
  if (!again.isWhole) return `The record does not hold ${again.missing.join(', ')}.`;
  try {
    const url = new URL(target, to ?? `${scheme}://${host}`);
    const response = await fetch(toFetchRequest(again, url, AbortSignal.timeout(timeoutMs)));
    return {
      status: response.status,
      token: response.headers.get('x-debug-token') ?? undefined,
      body: await headOf(response),
      leftOut: again.missing,
    };
  } catch (error) {
    const { message, cause } = error instanceof Error ? error : new Error('unknown');
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : message;
    return `It could not be sent to ${to ?? `${scheme}://${host}`}: ${reason}.`;
  }
}

/** Reads the beginning of the body, which may be of any size; an event stream has no end. */
async function headOf({ body }: Response): Promise<string> {
  let text = '';
  if (body === null) return text;
  try {
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      text += part;
      if (text.length >= maxBodyLength) break;
    }
  } catch {
    // The rest did not arrive in time, or the connection broke.
  }
  return text.slice(0, maxBodyLength);
}
