import { errorMonitor } from 'node:events';
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import { Duplex } from 'node:stream';
import { safely } from '#core/coded-error';
import { replaceMethod, type Undo } from '#core/patches';
import { fieldOf, ownData, textField } from '../source/fields.js';
import { beginCall, closedEarly, type OutgoingCall } from './outgoing-call.js';

/** Watches requests in all `node:http2` client sessions, once the application has loaded the module. */
export function instrumentHttp2Sessions(): Undo | undefined {
  const prototype = safely(sessionPrototype, undefined);
  if (prototype === undefined) return undefined;
  return replaceMethod<ClientHttp2Session>(prototype, 'request', (former, [headers, ...rest], session) => {
    const call = safely(() => beginCall(() => targetOf(session, headers)), undefined);
    const given = call === undefined ? headers : safely(() => withFields(headers, call), headers);
    const stream = Reflect.apply(former, session, [given, ...rest]);
    if (call !== undefined) safely(() => watchStream(stream as ClientHttp2Stream, call), undefined); // the return value of `request`
    return stream;
  });
}

/** The session class is not exported, so it is taken from a session without a connection. */
function sessionPrototype(): object {
  const { connect } = process.getBuiltinModule('node:http2');
  const nowhere = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const session = connect('http://localhost', { createConnection: () => nowhere });
  session.on('error', () => undefined);
  session.destroy();
  return Object.getPrototypeOf(session) as object; // a class instance's prototype
}

function targetOf(session: ClientHttp2Session, headers: unknown): { method: string; url: string } {
  const known = pairsOf(headers);
  const find = (name: string): string => known[known.indexOf(name) + 1] ?? '';
  const has = (name: string): boolean => known.includes(name);
  const authority = has(':authority') ? find(':authority') : has('host') ? find('host') : undefined;
  const origin = new URL(originOf(session));
  const scheme = has(':scheme') ? `${find(':scheme')}:` : origin.protocol;
  const method = has(':method') ? find(':method') : 'GET';
  return { method, url: `${scheme}//${authority ?? origin.host}${has(':path') ? find(':path') : '/'}` };
}

/** Returns the origin a session was opened for, from Node's internal fields. */
function originOf(session: ClientHttp2Session): string {
  for (const symbol of Object.getOwnPropertySymbols(session)) {
    if (symbol.description !== 'authority') continue;
    const authority: unknown = Reflect.get(session, symbol);
    if (typeof authority === 'string')
      return `${session.encrypted === true ? 'https' : 'http'}://${authority}`;
  }
  return 'http://localhost';
}

/** Returns lower-case names and values from header fields given as a list or an object. */
function pairsOf(headers: unknown): readonly string[] {
  if (Array.isArray(headers))
    return headers.map((text, at) => (at % 2 === 0 ? String(text).toLowerCase() : String(text)));
  return Object.entries(ownData(headers) ?? {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== undefined)
      .flatMap((one) => [name.toLowerCase(), String(one)]),
  );
}

/** Returns a copy of the headers with the trace fields; the headers themselves if there are none. */
function withFields(headers: unknown, call: OutgoingCall): unknown {
  call.requestHeaders = pairsOf(headers);
  const added: [string, string][] = [];
  call.addFields(
    (name) => call.requestHeaders.includes(name),
    (...field) => void added.push(field),
  );
  if (added.length === 0) return headers;
  call.requestHeaders = [...call.requestHeaders, ...added.flat()];
  if (Array.isArray(headers)) return headers.concat(added.flat());
  const given = typeof headers === 'object' && headers !== null ? headers : {};
  return { ...given, ...Object.fromEntries(added) };
}

function watchStream(stream: ClientHttp2Stream, call: OutgoingCall): void {
  for (const name of ['write', 'end'])
    replaceMethod(stream, name, (former, args) => {
      call.sentChunk(args[0]);
      return Reflect.apply(former, stream, args);
    });
  replaceMethod(stream, 'push', (former, args) => {
    call.receivedChunk(args[0]);
    return Reflect.apply(former, stream, args);
  });
  stream.once('ready', () => call.sent(call.requestHeaders));
  stream.once('response', (headers: IncomingHttpHeaders & { readonly ':status'?: number }) =>
    call.answered(headers[':status'] ?? 0, pairsOf(headers)),
  );
  watchCancel(stream, call);
  // The stream also emits `end` before an error.
  stream.once('end', () => {
    if (stream.rstCode === 0 && !stream.aborted) call.ended();
  });
  stream.once(errorMonitor, (error: unknown) => {
    // Without a cause, the application destroyed the session before it was connected.
    const isGivenUp =
      textField(error, 'code') === 'ERR_HTTP2_STREAM_CANCEL' && fieldOf(error, 'cause') === undefined;
    if (isGivenUp) call.cancelled();
    else call.ended(error);
  });
  stream.once('close', () => call.ended(stream.aborted ? new Error(closedEarly) : undefined));
}

/** Records that the application closes or destroys a stream before its end. Node itself does both only afterwards. */
function watchCancel(stream: ClientHttp2Stream, call: OutgoingCall): void {
  const { session } = stream;
  const end = (reason?: unknown): void => {
    // If the connection is gone, Node does it for the remaining streams.
    if (fieldOf(session?.socket, 'destroyed') === true) call.ended(reason ?? new Error(closedEarly));
    else call.cancelled(reason);
  };
  replaceMethod(stream, 'close', (former, args) => {
    if (!stream.closed) end();
    return Reflect.apply(former, stream, args);
  });
  replaceMethod(stream, 'destroy', (former, args) => {
    const isOfPeer = /^ERR_HTTP2|^E[A-Z]+$/.test(textField(args[0], 'code')) || stream.rstCode !== 0;
    if (!stream.destroyed && !isOfPeer && !stream.closed) end(args[0]);
    return Reflect.apply(former, stream, args);
  });
}
