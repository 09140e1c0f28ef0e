import type { SentResponse } from '#http';
import type { Exchange } from './exchange.js';
import type { ForeignResponse } from './foreign-message.js';

/** What left for the client; the status is 0 where nothing has. */
export function readSentResponse({ outgoing, answer: { bodyBytes } }: Exchange): SentResponse {
  const { status, headers } = readHead(outgoing);
  return { status, headers, bodyBytes, completed: isComplete(outgoing) }; // spreading the head takes longer than reading it
}

/** Status, and names and values in turn. Those of HTTP/1.1 are read from the head as it was written, with what Node has added. */
function readHead(outgoing: ForeignResponse): { status: number; headers: string[] } {
  if (!outgoing.headersSent) return { status: 0, headers: [] };
  const headers: string[] = [];
  if ('stream' in outgoing) {
    const fields = (outgoing.stream as { sentHeaders?: Record<string, unknown> } | undefined)?.sentHeaders; // undefined once the stream is destroyed
    const sent = Object.entries(fields ?? outgoing.getHeaders()).filter(([name]) => !name.startsWith(':'));
    for (const [name, value] of sent) headers.push(...listed(value).flatMap((text) => [name, text]));
    return { status: outgoing.statusCode, headers };
  }
  const { _header: head } = outgoing as { _header?: unknown }; // what Node has written: read by on-finished and morgan as well
  if (typeof head !== 'string') return { status: outgoing.statusCode, headers };
  for (let at = head.indexOf('\r\n') + 2; at > 1 && at < head.length;) {
    const end = head.indexOf('\r\n', at);
    const colon = head.indexOf(':', at);
    if (end === -1 || colon === -1) break;
    if (colon < end) headers.push(head.slice(at, colon), head.slice(colon + 2, end).trim());
    at = end + 2;
  }
  return { status: Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)), headers };
}

function listed(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map(String);
}

/** Whether the whole answer was handed to the connection before it closed. */
function isComplete(outgoing: ForeignResponse): boolean {
  if (!('stream' in outgoing)) return outgoing.writableFinished;
  // Not writableFinished: Node closes a stream whose both sides have ended without setting it.
  const stream = outgoing.stream as { rstCode?: number; aborted?: boolean } | undefined; // undefined once the stream is destroyed
  return outgoing.writableEnded && (stream?.rstCode ?? 0) === 0 && stream?.aborted !== true;
}
