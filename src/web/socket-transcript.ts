import { createRedactor } from '#dump';
import { controllerEvent, kernelListener } from '#kernel';
import type { Collector } from '#profiler';
import { type ScopeKey, createScopeKey } from '#scope';
import type { WebExtension } from './web-extension.js';

/** Summary of one message. */
interface SocketMessageNote {
  readonly direction: 'in' | 'out';
  readonly kind: 'text' | 'binary';
  readonly bytes: number;
  /** Milliseconds since the connection was opened. */
  readonly at: number;
  /** The beginning of a text, with secrets redacted. */
  readonly excerpt: string;
}

/** The recorded messages and totals of a connection. */
export interface SocketTranscript {
  readonly messages: SocketMessageNote[];
  /** Number of messages that were not recorded. */
  more: number;
  received: number;
  sent: number;
  /** Status code of the close frame; null while the connection is open. */
  closeCode: number | null;
}

const maxMessages = 200;
const maxTextLength = 200;
const maxRedactedLength = 8192;
const redactor = createRedactor();

/** The transcript of the connection that a request opened. */
export const socketTranscript: ScopeKey<SocketTranscript> =
  createScopeKey<SocketTranscript>('socket transcript');

/** Records a message, or only counts it if the transcript is full. */
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

/** Returns the beginning of a text. Secrets are redacted before truncating, because a truncated secret is not recognised. */
function excerptOf(text: string): string {
  const clean = redactor.text(text.slice(0, maxRedactedLength));
  return clean.length > maxTextLength ? `${clean.slice(0, maxTextLength)}…` : clean;
}

/**
 * Records the messages of each WebSocket in the record of its request: visible while the connection is open, stored when
 * it closes. Without this extension, no messages are recorded.
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
