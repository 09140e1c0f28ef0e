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

/** A head as Node sends it over HTTP/2, with names in lower case. */
type StreamHead = Record<string, unknown>;

/**
 * Calls `write`, which sends the head of an HTTP/2 response, and adds fields to what is sent: those of the response stay the
 * application's, and Node checks, sends and reports the head in the call, as ever. A head that comes before the body is
 * prepared for a page with the toolbar, if there is one to add.
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

/** Changes the fields that the toolbar would change, and removes the length, which is not known. Returns false if there will be no toolbar. */
function prepare(head: StreamHead, toolbar: ToolbarInput): boolean {
  if ([head['etag'], head['content-length']].some(Array.isArray)) return false; // Node refuses them
  const fields = (name: string): readonly string[] => (name === 'content-length' ? [] : textsOf(head[name]));
  const page = addToolbar({ status: Number(head[':status']), fields, body: anyPage }, toolbar);
  if (page === undefined) return false;
  delete head['content-length'];
  for (const [name, value] of page.fields) head[name.toLowerCase()] = value;
  return true;
}
