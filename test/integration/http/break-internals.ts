import { getBuiltinModule } from 'node:process';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { Readable } from 'node:stream';

/** Removes one of Node's internals. The returned function restores what Node itself needs, once lookback is loaded. */
export type Break = () => (() => void) | void;

/** Keyed by table row. */
export const breaks: Readonly<Record<string, readonly Break[]>> = {
  'ServerResponse._header and _headerSent': [
    () => hideFromUs(http.OutgoingMessage.prototype, '_header'),
    () => hideFromUs(http.OutgoingMessage.prototype, '_headerSent'),
  ],
  'source text of ServerResponse.writeHead and end': [
    () => wrap(http.ServerResponse.prototype, 'writeHead'),
    () => wrap(http.ServerResponse.prototype, 'end'),
  ],
  'IncomingMessage.headers as an accessor of the prototype': [
    () => replaceMessage((message) => (message.headers = {})),
    () =>
      replaceMessage((message) => Object.defineProperty(message, 'headers', { value: {}, writable: true })),
  ],
  'Readable.readableEnded as an accessor of the prototype': [
    () => {
      // It cannot be removed, so it is hidden while lookback is loaded.
      const describe = Object.getOwnPropertyDescriptor;
      Object.getOwnPropertyDescriptor = (target: unknown, name: PropertyKey) =>
        target === Readable.prototype && name === 'readableEnded' ? undefined : describe(target, name);
      return () => void (Object.getOwnPropertyDescriptor = describe);
    },
  ],
  'IncomingMessage._dump': [() => removeWhileLoading(http.IncomingMessage.prototype, '_dump')],
  'IncomingMessage._addHeaderLines': [
    () => removeWhileLoading(http.IncomingMessage.prototype, '_addHeaderLines'),
  ],
  'OutgoingMessage._onPendingData': [() => hideFromUs(http.OutgoingMessage.prototype, '_onPendingData')],
  "Server's list of connections, under a symbol": [
    () => {
      const symbolsOf = Object.getOwnPropertySymbols;
      Object.getOwnPropertySymbols = (value) =>
        symbolsOf(value).filter(({ description }) => description !== 'http.server.connections');
    },
  ],
  'Server.httpAllowHalfOpen': [() => hideFromNode('httpAllowHalfOpen', false)],
  'OutgoingMessage.shouldKeepAlive': [() => hideFromUs(http.OutgoingMessage.prototype, 'shouldKeepAlive')],
  'OutgoingMessage.useChunkedEncodingByDefault': [
    () => hideFromUs(http.OutgoingMessage.prototype, 'useChunkedEncodingByDefault'),
  ],
  "Node's `end` listener of a connection": [
    () => {
      const { Socket } = getBuiltinModule('node:net');
      const on = Socket.prototype.on;
      // Node's own HTTP `end` listener is no longer added; the test does not need its effect.
      Socket.prototype.on = function (this: unknown, event: string, listener: (...given: never[]) => void) {
        if (event === 'end' && listener.name === 'bound socketOnEnd') return this;
        return Reflect.apply(on, this, [event, listener]) as unknown;
      } as typeof on; // one signature for all its overloads
    },
  ],
  'limits for HTTP/1.1 connections, as properties of an HTTP/2 server': [
    () => hideFromNode('maxHeaderSize', undefined),
    () => hideFromNode('maxHeadersCount', null),
    () => hideFromNode('headersTimeout', 60_000),
    () => hideFromNode('requestTimeout', 300_000),
    () => hideFromNode('connectionsCheckingInterval', 30_000),
  ],
};

/** As if Node had renamed it: Node's own code still finds it. */
function hideFromUs(target: object, name: string): void {
  hide(target, name, (isNode, value) => (isNode ? value : undefined));
}

/** As if Node no longer read it from its HTTP/2 server. */
function hideFromNode(name: string, instead: unknown): void {
  const { createSecureServer } = getBuiltinModule('node:http2');
  const prototype: unknown = Object.getPrototypeOf(createSecureServer({}));
  hide(prototype as object, name, (isNode, value) => (isNode ? instead : value)); // a server's prototype
  if (name === 'httpAllowHalfOpen')
    hide(http.Server.prototype, name, (isNode, value) => (isNode ? instead : value));
}

function hide(target: object, name: string, show: (isNode: boolean, value: unknown) => unknown): void {
  const original = Object.getOwnPropertyDescriptor(target, name);
  const values = new WeakMap<object, unknown>();
  Object.defineProperty(target, name, {
    configurable: true,
    get(this: object) {
      const value: unknown =
        original?.get === undefined ? (values.get(this) ?? original?.value) : original.get.call(this);
      return show(isCalledByNode(), values.has(this) ? values.get(this) : value);
    },
    set(this: object, value: unknown) {
      if (original?.set === undefined) values.set(this, value);
      else original.set.call(this, value);
    },
  });
}

/** Whether the property is read by Node's own code. */
function isCalledByNode(): boolean {
  const frames = (new Error('where').stack ?? '').split('\n').slice(1);
  const caller = frames.filter(
    (frame) => !frame.includes('<anonymous>') && !frame.includes('break-internals'),
  );
  return caller[0]?.includes('node:') === true;
}

function removeWhileLoading(target: object, name: string): () => void {
  const original = Object.getOwnPropertyDescriptor(target, name);
  if (!Reflect.deleteProperty(target, name)) throw new Error(`${name} cannot be removed.`);
  return () => {
    if (original !== undefined) Object.defineProperty(target, name, original);
  };
}

function wrap(target: object, name: string): void {
  const original: unknown = Reflect.get(target, name);
  Reflect.set(target, name, function wrapped(this: unknown, ...given: unknown[]): unknown {
    return Reflect.apply(original as () => unknown, this, given); // a method with any parameters
  });
}

/** As if Node created the headers object immediately. */
function replaceMessage(prepare: (message: http.IncomingMessage) => void): void {
  const Original = http.IncomingMessage;
  class Eager extends Original {
    constructor(...given: ConstructorParameters<typeof Original>) {
      super(...given);
      prepare(this);
    }
  }
  Reflect.set(http, 'IncomingMessage', Eager);
  syncBuiltinESMExports();
}
