import type { SentResponse } from '#http';
import type { Exchange } from './exchange.js';
import type { ForeignResponse } from './foreign-message.js';

/** Reads what was sent to the client; the status is 0 if nothing was. */
export function readSentResponse({ outgoing, answer: { bodyBytes } }: Exchange): SentResponse {
  const { status, headers } = readHead(outgoing);
  return { status, headers, bodyBytes, completed: isComplete(outgoing) }; // not spread: that takes longer than reading the head
}

/** Reads the status, and alternating names and values. For HTTP/1.1 from the written head, which includes Node's own fields. */
function readHead(outgoing: ForeignResponse): { status: number; headers: string[] } {
  if (!outgoing.headersSent) return { status: 0, headers: [] };
  const headers: string[] = [];
  if ('stream' in outgoing) {
    const fields = (outgoing.stream as { sentHeaders?: Record<string, unknown> } | undefined)?.sentHeaders; // undefined once the stream is destroyed
    const sent = Object.entries(fields ?? outgoing.getHeaders()).filter(([name]) => !name.startsWith(':'));
    for (const [name, value] of sent) headers.push(...listed(value).flatMap((text) => [name, text]));
    return { status: outgoing.statusCode, headers };
  }
  const { _header: head } = outgoing as { _header?: unknown }; // the head as Node wrote it; on-finished and morgan read it too
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

/** Whether the whole answer was flushed before the connection closed. */
function isComplete(outgoing: ForeignResponse): boolean {
  if (!('stream' in outgoing)) return outgoing.writableFinished;
  // Not `writableFinished`: Node does not set it when both sides of a stream have ended.
  const stream = outgoing.stream as { rstCode?: number; aborted?: boolean } | undefined; // undefined once the stream is destroyed
  return outgoing.writableEnded && (stream?.rstCode ?? 0) === 0 && stream?.aborted !== true;
}
