import { errorMonitor } from 'node:events';
import { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { replaceMethod, undoAll } from '#core/patches';
import { listenTo } from '../source/listen-to.js';
import { fieldOf } from '../source/fields.js';
import { beginCall, type OutgoingCall } from './outgoing-call.js';

/**
 * Watches requests of `node:http` and `node:https`. Each is passed to an agent while `http.request` runs, in the caller's
 * asynchronous context. The channel of Node 20 is not used: it publishes a request only when its end is flushed, in the
 * context of the code that released the socket.
 */
export function listenToNodeClient(): () => void {
  const under = new WeakMap<object, OutgoingCall>();
  const undo = replaceMethod(Agent.prototype, 'addRequest', (former, args, self) => {
    const [request] = args;
    if (request instanceof ClientRequest && !under.has(request)) {
      const call = beginCall(() => targetOf(request, args[1]));
      if (call !== undefined) {
        under.set(request, call);
        watchRequest(request, call);
      }
    }
    return Reflect.apply(former, self, args);
  });
  const stopListening = listenTo({
    'http.client.response.finish'(message) {
      const response = fieldOf(message, 'response');
      const request = fieldOf(message, 'request');
      if (!(response instanceof IncomingMessage) || typeof request !== 'object' || request === null) return;
      const call = under.get(request);
      if (call !== undefined) watchResponse(response, call);
    },
  });
  return undoAll([undo, stopListening]);
}

function targetOf(request: ClientRequest, options: unknown): { method: string; url: string } {
  const { method, protocol, host, path } = request;
  const port = Number(fieldOf(options, 'port') ?? 0);
  const isDefault = port === 0 || port === (protocol === 'https:' ? 443 : 80);
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return { method, url: `${protocol}//${name}${isDefault ? '' : `:${port}`}${path}` };
}

function watchRequest(request: ClientRequest, call: OutgoingCall): void {
  if (!request.headersSent)
    call.addFields(
      (name) => request.hasHeader(name),
      (name, value) => request.setHeader(name, value),
    );
  call.requestHeaders = fieldsOf(request);
  for (const name of ['write', 'end'])
    replaceMethod(request, name, (former, args) => {
      if (call.request === undefined) call.requestHeaders = fieldsOf(request);
      call.sentChunk(args[0]);
      return Reflect.apply(former, request, args);
    });
  request.once('finish', () => call.sent(fieldsOf(request)));
  request.once(errorMonitor, (error: unknown) => call.ended(error));
  request.once('close', () => call.ended());
}

/** Records chunks as they arrive; other readers are not affected. */
function watchResponse(response: IncomingMessage, call: OutgoingCall): void {
  call.answered(response.statusCode ?? 0, response.rawHeaders);
  replaceMethod(response, 'push', (former, args) => {
    call.receivedChunk(args[0]);
    return Reflect.apply(former, response, args);
  });
  // With `Connection: close`, it is closed only with the socket, which may be later than the answer to our own client.
  response.once('end', () => call.ended());
  response.once('close', () => call.ended());
}

function fieldsOf(request: ClientRequest): readonly string[] {
  return Object.entries(request.getHeaders()).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [String(value)]).flatMap((text) => [name, text]),
  );
}
