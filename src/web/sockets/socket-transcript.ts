import type { Collector } from '#profiler';
import type { ScopeKey } from '#scope';
import { createScopeKey } from '#scope';
import type { WebExtension } from '../web-extension.js';

/** One message, in short. */
export interface SocketMessageNote {
  readonly direction: 'in' | 'out';
  readonly kind: 'text' | 'binary';
  readonly bytes: number;
  /** Milliseconds since the connection was opened. */
  readonly at: number;
  /** The beginning of a text. */
  readonly excerpt: string;
}

/** What went over a connection, as far as it is kept. */
export interface SocketTranscript {
  readonly messages: SocketMessageNote[];
  /** Messages that were not kept. */
  more: number;
  received: number;
  sent: number;
  /** Status of the close frame; null while it is open. */
  closeCode: number | null;
}

const most = 200;
const longest = 200;

/** The transcript of the request that a connection began with. */
export const socketTranscript: ScopeKey<SocketTranscript> =
  createScopeKey<SocketTranscript>('socket transcript');

/** Keeps a message, or counts it. */
export function noteMessage(
  transcript: SocketTranscript,
  data: string | Uint8Array,
  { direction, since }: { readonly direction: 'in' | 'out'; readonly since: number },
): void {
  if (direction === 'in') transcript.received++;
  else transcript.sent++;
  if (transcript.messages.length >= most) {
    transcript.more++;
    return;
  }
  const isText = typeof data === 'string';
  transcript.messages.push({
    direction,
    kind: isText ? 'text' : 'binary',
    bytes: isText ? Buffer.byteLength(data) : data.byteLength,
    at: Math.round((performance.now() - since) * 10) / 10,
    excerpt: isText ? data.slice(0, longest) : '',
  });
}

/** An extension that keeps the messages of each WebSocket in the record of its request, filed when it is closed. */
export function socketRecords(): WebExtension & { readonly collectors: readonly Collector[] } {
  const collect: Collector['collect'] = ({ request }) => request.scope.getOwn(socketTranscript);
  return { name: 'socket records', listeners: [], collectors: [{ name: 'socket', collect }] };
}
