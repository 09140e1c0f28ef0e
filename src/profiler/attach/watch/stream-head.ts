import type { Http2ServerResponse } from 'node:http2';
import { addToolbar } from '#profiler';
import { replaceMethod } from '#core/patches';
import {
  type AddedFields,
  addedValue,
  anyPage,
  isSendable,
  textsOf,
  type ToolbarInput,
} from './outgoing-head.js';

/** A head as Node sends it over HTTP/2, with lower-case names. */
type StreamHead = Record<string, unknown>;

/**
 * Calls `write`, which sends the head of an HTTP/2 response, and adds headers to it. The response's own headers stay
 * unchanged, and Node checks, sends and reports the head as usual. If the head precedes the body, it is prepared for a
 * toolbar, if there is one to add.
 */
export function respondWith(
  fields: AddedFields,
  outgoing: Http2ServerResponse,
  { toolbar, write }: { readonly toolbar: ToolbarInput | undefined; readonly write: () => unknown },
): unknown {
  const { stream } = outgoing;
  const undo = replaceMethod(stream, 'respond', (former, [given, ...options]) => {
    const head = { ...(given as StreamHead) }; // Node's compatibility layer passes an object
    for (const [name, value] of fields.filter(isSendable)) {
      const key = name.toLowerCase();
      head[key] = addedValue(name, value, head[key]);
    }
    if (toolbar !== undefined) toolbar.isAwaited = prepare(head, toolbar);
    return Reflect.apply(former, stream, [head, ...options]);
  });
  try {
    return write();
  } finally {
    undo?.();
  }
}

/**
 * Changes the fields that the toolbar would change, and removes the length, which is unknown. Returns false if there
 * will be no toolbar.
 */
function prepare(head: StreamHead, toolbar: ToolbarInput): boolean {
  if ([head['etag'], head['content-length']].some(Array.isArray)) return false; // Node rejects them
  const fields = (name: string): readonly string[] => (name === 'content-length' ? [] : textsOf(head[name]));
  const page = addToolbar({ status: Number(head[':status']), fields, body: anyPage }, toolbar);
  if (page === undefined) return false;
  delete head['content-length'];
  for (const [name, value] of page.fields) head[name.toLowerCase()] = value;
  return true;
}
