import { isLoopbackHost } from '#http';
import { type ProfileRecord, repeatableRequest, toFetchRequest } from '#profiler';

/** How a request is sent again. */
export interface ReplayOptions {
  /** Origin to send it to; default: the record's own, if it is this machine. */
  readonly to?: string | undefined;
  /** Whether a request that may change something may be sent. Default no. */
  readonly mayWrite?: boolean | undefined;
}

/** The answer to a replayed request. */
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
  // The Host field is the client's word: a record must not make this machine call any other.
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

/** The beginning of the body: it may be of any size, and an event stream has no end. */
async function headOf({ body }: Response): Promise<string> {
  let text = '';
  if (body === null) return text;
  try {
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      text += part;
      if (text.length >= maxBodyLength) break;
    }
  } catch {
    // The rest did not come in time, or was cut off.
  }
  return text.slice(0, maxBodyLength);
}
