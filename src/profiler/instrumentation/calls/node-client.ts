import { errorMonitor } from 'node:events';
import { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { safely } from '#core/coded-error';
import { findField } from '#core/http';
import { replaceMethod, type Undo, undoAll } from '#core/patches';
import { listenTo } from '../source/listen-to.js';
import { fieldOf } from '../source/fields.js';
import { beginCall, closedEarly, type OutgoingCall } from './outgoing-call.js';

/** Watched requests and their calls; undefined outside of recorded requests. */
const watched = new WeakMap<object, OutgoingCall | undefined>();

/**
 * Watches requests made with `node:http` and `node:https`. Most are passed to an `http.Agent` while `http.request`
 * runs, in the caller's asynchronous context. Node 20's channel is not used, because it publishes a request only when
 * its end is flushed, in the context of the code that released the socket.
 */
export function listenToNodeClient(): () => void {
  const undo = replaceMethod(Agent.prototype, 'addRequest', (former, args, self) => {
    const [request] = args;
    if (request instanceof ClientRequest) watch(request, args[1]);
    return Reflect.apply(former, self, args);
  });
  const stopListening = listenTo({
    'http.client.response.finish'(message) {
      const response = fieldOf(message, 'response');
      const request = fieldOf(message, 'request');
      if (!(response instanceof IncomingMessage) || typeof request !== 'object' || request === null) return;
      const call = watched.get(request);
      if (call !== undefined) watchResponse(response, call);
    },
  });
  return undoAll([undo, ...listenToOthers(), stopListening]);
}

/**
 * Watches requests that reach no `http.Agent`: those with `createConnection`, and those with other agent classes, which
 * may open a connection first. Their constructor always reads the `Host` header, or stores a list of headers.
 */
function listenToOthers(): readonly (Undo | undefined)[] {
  return ['getHeader', '_storeHeader'].map((name) =>
    replaceMethod<object>(ClientRequest.prototype, name, (former, args, self) => {
      if (!watched.has(self) && self instanceof ClientRequest && !(fieldOf(self, 'agent') instanceof Agent))
        watch(self, undefined, name === 'getHeader' ? undefined : args[1]);
      return Reflect.apply(former, self, args);
    }),
  );
}

/**
 * Watches a request. `options` are the agent's, which include the port. `list` contains the header fields if they are
 * sent unchanged.
 */
function watch(request: ClientRequest, options: unknown, list?: unknown): void {
  if (watched.has(request)) return;
  watched.set(request, undefined);
  safely(() => {
    const call = beginCall(() => targetOf(request, options));
    if (call === undefined) return;
    watched.set(request, call);
    if (Array.isArray(list)) call.requestHeaders = list.flat().map(String);
    else if (!request.headersSent)
      call.addFields(
        (name) => request.hasHeader(name),
        (name, value) => request.setHeader(name, value),
      );
    if (options === undefined) addPortLater(request, call);
    watchRequest(request, call);
  }, undefined);
}

function targetOf(request: ClientRequest, options: unknown): { method: string; url: string } {
  const { method, protocol, host, path } = request;
  const port = Number(fieldOf(options, 'port') ?? 0);
  const isDefault = port === 0 || port === (protocol === 'https:' ? 443 : 80);
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return { method, url: `${protocol}//${name}${isDefault ? '' : `:${port}`}${path}` };
}

/** Without an agent, a request's port is known from its `Host` header, once it is created. */
function addPortLater(request: ClientRequest, call: OutgoingCall): void {
  const add = (): void => {
    const host = request.getHeader('host') ?? findField(call.requestHeaders, 'host');
    const address = `${request.protocol}//${String(host)}`;
    if (!URL.canParse(address) || !URL.canParse(call.url)) return;
    const [known, url] = [new URL(address), new URL(call.url)];
    if (url.port === '' && known.hostname === url.hostname && known.port !== '')
      call.url = call.url.replace(url.host, known.host);
  };
  queueMicrotask(() => safely(add, undefined));
}

function watchRequest(request: ClientRequest, call: OutgoingCall): void {
  if (call.requestHeaders.length === 0) call.requestHeaders = fieldsOf(request);
  for (const name of ['write', 'end'])
    replaceMethod(request, name, (former, args) => {
      if (call.request === undefined && !request.headersSent) call.requestHeaders = fieldsOf(request);
      call.sentChunk(args[0]);
      return Reflect.apply(former, request, args);
    });
  // Never called by Node itself, but by the application's `abort` calls, signals and pipelines.
  let hasTimedOut = false;
  request.once('timeout', () => (hasTimedOut = true));
  replaceMethod(request, 'destroy', (former, args) => {
    if (!request.destroyed && !hasTimedOut) call.cancelled(args[0]);
    return Reflect.apply(former, request, args);
  });
  request.once('finish', () => {
    const fields = fieldsOf(request);
    call.sent(fields.length === 0 ? call.requestHeaders : fields);
  });
  request.once(errorMonitor, (error: unknown) => call.ended(error));
  request.once('close', () => {
    const response = fieldOf(request, 'res');
    if (!(response instanceof IncomingMessage)) return call.ended();
    // An upgraded connection emits no `response` event.
    if (call.answeredAt === 0) call.answered(response.statusCode ?? 0, response.rawHeaders);
    call.ended(errorOf(response));
  });
}

/** Records chunks as they arrive, without affecting other readers. */
function watchResponse(response: IncomingMessage, call: OutgoingCall): void {
  call.answered(response.statusCode ?? 0, response.rawHeaders);
  replaceMethod(response, 'push', (former, args) => {
    call.receivedChunk(args[0]);
    return Reflect.apply(former, response, args);
  });
  replaceMethod(response, 'destroy', (former, args) => {
    const isOfPeer = fieldOf(args[0], 'code') === 'ECONNRESET';
    if (!response.complete && !response.destroyed && !isOfPeer) call.cancelled(args[0]);
    return Reflect.apply(former, response, args);
  });
  // With `Connection: close`, it closes only with the socket, which may be after the response to our own client.
  response.once('end', () => call.ended());
  response.once('close', () => call.ended(errorOf(response)));
}

/** Returns why a response is incomplete; undefined if it is complete. */
function errorOf(response: IncomingMessage): unknown {
  if (response.complete || fieldOf(response, 'upgrade') === true) return undefined;
  const { errored } = response;
  // Node's own error says “aborted”, no matter who closed the connection.
  return errored === null || errored.message === 'aborted' ? new Error(closedEarly) : errored;
}

function fieldsOf(request: ClientRequest): readonly string[] {
  return Object.entries(request.getHeaders()).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [String(value)]).flatMap((text) => [name, text]),
  );
}
