import { webErrors } from '../error-codes.js';

/** An event of a stream (WHATWG HTML, section 9.2). */
export interface ServerEvent {
  /** Text is sent unchanged, anything else as JSON. */
  readonly data: unknown;
  /** The type that a client listens to. Default `message`. */
  readonly event?: string;
  /** Id that a reconnecting client sends as `Last-Event-ID`. */
  readonly id?: string;
}

/** Renders the lines of an event; its data may have several lines. Throws `WEB_EVENT_FIELD` for an id or type that could inject lines. */
export function renderEvent({ data, event, id }: ServerEvent): string {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? 'null');
  let lines = '';
  if (event !== undefined) lines += fieldLine('event', event);
  if (id !== undefined) lines += fieldLine('id', id);
  for (const line of text.split(/\r\n|\r|\n/)) lines += `data: ${line}\n`;
  return `${lines}\n`;
}

function fieldLine(field: 'event' | 'id', value: string): string {
  if (/[\r\n\0]/.test(value)) throw webErrors.create('WEB_EVENT_FIELD', { field });
  return `${field}: ${value}\n`;
}
