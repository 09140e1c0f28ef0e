import type { IncomingHttpHeaders } from 'node:http';
import { IncomingMessage } from 'node:http';
import { findField } from '../../headers/same-name.js';
import { messageClass, nodeMessage } from './node-internals.js';

const on: unknown = Reflect.get(IncomingMessage.prototype, 'on');

/**
 * The end of a message as a stream: not reached, passed on to whoever reads, or, of a message without a body, held until
 * someone reads, or never signalled.
 */
type Ending = 'open' | 'passed' | 'held' | 'left';

/**
 * Node's message, with two things done on demand. Whatever listens to the server from outside
 * finds them as ever.
 * - Its object of headers is built when more is read from it than Node's server reads itself. Nothing of ours
 *   reads that object (see `RequestHeaders`), and for the fields of a browser it is the most expensive part of taking a request.
 * - A message without a body ends as a stream when it is read. Node reads each to its end once it was answered, through
 *   four turns of its queue, to find nothing.
 */
export class LazyIncomingMessage extends IncomingMessage {
  #headers: IncomingHttpHeaders | undefined;
  #ending: Ending = 'open';

  /** Node calls it with what has come of the body, and with null at the end. */
  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (chunk === null && this.#ending === 'open' && this.readableFlowing === null) {
      this.#ending = 'held';
      return false;
    }
    this.#ending = 'passed';
    return super.push(chunk, encoding);
  }

  /** Whoever reads comes by here, be it by `pipe`, by listening for data or by a loop. */
  override read(size?: number): unknown {
    const wasHeld = this.#ending === 'held' || this.#ending === 'left';
    this.#ending = 'passed'; // a stream that was read waits for its end
    if (wasHeld) super.push(null);
    return super.read(size);
  }

  /** Listeners for the end of a message that was left are called now: `finished` of `node:stream` waits for nothing else. */
  override on(event: string | symbol, listener: (...given: never[]) => void): this {
    if (typeof on === 'function') Reflect.apply(on, this, [event, listener]); // its types distinguish the listeners by event
    if (this.#ending === 'left' && (event === 'end' || event === 'close')) this.resume();
    return this;
  }

  /** Node calls it for a message that was not read, once the answer is out. */
  _dump(): void {
    if (this.#ending === 'held' && this.listenerCount('end') === 0 && this.listenerCount('close') === 0)
      this.#ending = 'left';
    else nodeMessage.dump(this);
  }

  /** Stands in for `readableEnded`; for the accessor below alone. */
  static hasEnded(message: LazyIncomingMessage): boolean {
    return message.#ending === 'left' || nodeMessage.hasEnded(message);
  }

  /** Stands in for `headers`; for the accessor below alone. */
  static headersOf(message: LazyIncomingMessage): IncomingHttpHeaders {
    return (message.#headers ??= new Proxy<IncomingHttpHeaders>({}, new LazyHeaders(message)));
  }

  static setHeaders(message: LazyIncomingMessage, headers: IncomingHttpHeaders): void {
    message.#headers = headers;
  }
}

// By hand, as the types say that these are fields, which no class may replace by accessors.
Object.defineProperty(LazyIncomingMessage.prototype, 'readableEnded', {
  configurable: true,
  get(this: LazyIncomingMessage) {
    return LazyIncomingMessage.hasEnded(this);
  },
});
Object.defineProperty(LazyIncomingMessage.prototype, 'headers', {
  configurable: true,
  get(this: LazyIncomingMessage) {
    return LazyIncomingMessage.headersOf(this);
  },
  set(this: LazyIncomingMessage, headers: IncomingHttpHeaders) {
    LazyIncomingMessage.setHeaders(this, headers);
  },
});

/** Answers for one message's headers: what is not there is said at a look, for anything else the object is made. */
class LazyHeaders implements ProxyHandler<IncomingHttpHeaders> {
  readonly #message: LazyIncomingMessage;
  #whole: IncomingHttpHeaders | undefined;

  constructor(message: LazyIncomingMessage) {
    this.#message = message;
  }

  get(_target: IncomingHttpHeaders, name: string | symbol): unknown {
    if (
      this.#whole === undefined &&
      name === 'expect' &&
      findField(this.#message.rawHeaders, 'expect') === undefined
    )
      return undefined;
    return Reflect.get(this.#made(), name);
  }

  set(_target: IncomingHttpHeaders, name: string | symbol, value: unknown): boolean {
    return Reflect.set(this.#made(), name, value);
  }

  has(_target: IncomingHttpHeaders, name: string | symbol): boolean {
    return Reflect.has(this.#made(), name);
  }

  deleteProperty(_target: IncomingHttpHeaders, name: string | symbol): boolean {
    return Reflect.deleteProperty(this.#made(), name);
  }

  ownKeys(): (string | symbol)[] {
    return Reflect.ownKeys(this.#made());
  }

  getOwnPropertyDescriptor(
    _target: IncomingHttpHeaders,
    name: string | symbol,
  ): PropertyDescriptor | undefined {
    return Reflect.getOwnPropertyDescriptor(this.#made(), name);
  }

  defineProperty(
    _target: IncomingHttpHeaders,
    name: string | symbol,
    descriptor: PropertyDescriptor,
  ): boolean {
    return Reflect.defineProperty(this.#made(), name, { ...descriptor, configurable: true });
  }

  #made(): IncomingHttpHeaders {
    return (this.#whole ??= nodeMessage.headers(this.#message) as IncomingHttpHeaders); // Node's own accessor
  }
}

/** The class that servers make their messages of: tried here, below all that a message needs. */
export const ServerMessage: typeof IncomingMessage = messageClass(LazyIncomingMessage);
