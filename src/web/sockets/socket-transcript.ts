import { createRedactor } from '#dump';
import { controllerEvent, kernelListener } from '#kernel';
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
  /** The beginning of a text, without secrets. */
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

const maxMessages = 200;
const maxTextLength = 200;
const maxRedactedLength = 8192;
const redactor = createRedactor();

/** The transcript of the request that a connection began with. */
export const socketTranscript: ScopeKey<SocketTranscript> =
  createScopeKey<SocketTranscript>('socket transcript');

/** Keeps a message, or counts it. */
export function noteMessage(
  transcript: SocketTranscript | undefined,
  data: string | Uint8Array,
  { direction, since }: { readonly direction: 'in' | 'out'; readonly since: number },
): void {
  if (transcript === undefined) return;
  if (direction === 'in') transcript.received++;
  else transcript.sent++;
  if (transcript.messages.length >= maxMessages) {
    transcript.more++;
    return;
  }
  const isText = typeof data === 'string';
  transcript.messages.push({
    direction,
    kind: isText ? 'text' : 'binary',
    bytes: isText ? Buffer.byteLength(data) : data.byteLength,
    at: Math.round((performance.now() - since) * 10) / 10,
    excerpt: isText ? excerptOf(data) : '',
  });
}

/** Secrets are hidden first: the beginning of one that is cut off would not be recognised any more. */
function excerptOf(text: string): string {
  const clean = redactor.text(text.slice(0, maxRedactedLength));
  return clean.length > maxTextLength ? `${clean.slice(0, maxTextLength)}…` : clean;
}

/**
 * An extension that keeps the messages of each WebSocket in the record of its request: visible while the connection is
 * open, stored when it closes. Without it, no messages are recorded.
 */
export function socketRecords(): WebExtension & { readonly collectors: readonly Collector[] } {
  const begin = kernelListener(
    controllerEvent,
    ({ request: { headers, scope } }) => {
      if (headers.get('upgrade') === undefined) return;
      scope.set(socketTranscript, { messages: [], more: 0, received: 0, sent: 0, closeCode: null });
    },
    { name: 'socket records', priority: 0 },
  );
  const collect: Collector['collect'] = ({ request }) => {
    const transcript = request.scope.getOwn(socketTranscript);
    return transcript === undefined ||
      (transcript.received + transcript.sent === 0 && transcript.closeCode === null)
      ? undefined
      : transcript;
  };
  return { name: 'socket records', listeners: [begin], collectors: [{ name: 'socket', collect }] };
}
