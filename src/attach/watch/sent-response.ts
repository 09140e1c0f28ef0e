import { HttpResponse, type SentResponse } from '#http';
import type { Exchange } from './exchange.js';
import type { ForeignResponse } from './foreign-message.js';

/** What left for the client; no response where nothing has. */
export function readSentResponse({ outgoing, bodyBytes }: Exchange): {
  response: HttpResponse | undefined;
  sent: SentResponse;
} {
  const headers = outgoing.headersSent ? sentFields(outgoing) : [];
  const status = outgoing.headersSent ? outgoing.statusCode : 0;
  return {
    response: status === 0 ? undefined : new HttpResponse(null, { status }),
    sent: { status, headers, bodyBytes, completed: isComplete(outgoing) },
  };
}

/** Names and values in turn. Those of HTTP/1.1 are read from the head as it was written, with what Node has added. */
function sentFields(outgoing: ForeignResponse): string[] {
  if ('stream' in outgoing) {
    const fields = (outgoing.stream as { sentHeaders?: Record<string, unknown> } | undefined)?.sentHeaders; // undefined once the stream is destroyed
    return Object.entries(fields ?? outgoing.getHeaders()).flatMap(([name, value]) =>
      name.startsWith(':') ? [] : listed(value).flatMap((text) => [name, text]),
    );
  }
  const { _header: head } = outgoing as { _header?: unknown }; // what Node has written: read by on-finished and morgan as well
  if (typeof head !== 'string') return [];
  const fields: string[] = [];
  for (let at = head.indexOf('\r\n') + 2; at > 1 && at < head.length;) {
    const end = head.indexOf('\r\n', at);
    const colon = head.indexOf(':', at);
    if (end === -1 || colon === -1) break;
    if (colon < end) fields.push(head.slice(at, colon), head.slice(colon + 1, end).trim());
    at = end + 2;
  }
  return fields;
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
