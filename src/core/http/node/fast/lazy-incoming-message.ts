import { type IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { findField } from '../../headers/request-headers.js';
import { messageClass, nodeMessage } from './node-internals.js';

const on: unknown = Reflect.get(IncomingMessage.prototype, 'on');

/**
 * How the end of a message's stream was handled: not reached yet (`open`), passed to the readers (`passed`), or, for a
 * message without a body, withheld until someone reads (`held`), or not signalled because the response is out and no
 * one reads (`left`).
 */
type Ending = 'open' | 'passed' | 'held' | 'left';

/**
 * Node's message with two lazy parts. Other listeners of the server see no difference.
 * - The `headers` object is built only when code reads more of it than Node's server itself does. The
 *   framework does not use it (see `RequestHeaders`), and for a browser's fields it is the most expensive part
 *   of receiving a request.
 * - The stream of a message without a body ends only if someone reads it. Node would read each such message
 *   to its end after the response, in four steps of its queue, and find nothing.
 */
export class LazyIncomingMessage extends IncomingMessage {
  #headers: IncomingHttpHeaders | undefined;
  #ending: Ending = 'open';

  /** Called by Node with each chunk of the body, and with null at the end. */
  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (chunk === null && this.#ending === 'open' && this.readableFlowing === null) {
      this.#ending = 'held';
      return false;
    }
    this.#ending = 'passed';
    return super.push(chunk, encoding);
  }

  /** Every way of reading calls this: `pipe`, `data` listeners and async iteration. */
  override read(size?: number): unknown {
    const wasHeld = this.#ending === 'held' || this.#ending === 'left';
    this.#ending = 'passed'; // a reader waits for the end
    if (wasHeld) super.push(null);
    return super.read(size);
  }

  /** Emits the withheld end if a listener for it is added later: `finished` of `node:stream` waits for these events. */
  override on(event: string | symbol, listener: (...given: never[]) => void): this {
    if (typeof on === 'function') Reflect.apply(on, this, [event, listener]); // Node's types have one overload per event
    if (this.#ending === 'left' && (event === 'end' || event === 'close')) this.resume();
    return this;
  }

  /** Called by Node after the response, for a message that was not read. */
  _dump(): void {
    if (this.#ending === 'held' && this.listenerCount('end') === 0 && this.listenerCount('close') === 0)
      this.#ending = 'left';
    else nodeMessage.dump(this);
  }

  // Defined at run time: Node's types declare these as fields, which TypeScript does not let a class override by accessors.
  static {
    Object.defineProperty(this.prototype, 'readableEnded', {
      configurable: true,
      get(this: LazyIncomingMessage) {
        return this.#ending === 'left' || nodeMessage.hasEnded(this);
      },
    });
    Object.defineProperty(this.prototype, 'headers', {
      configurable: true,
      get(this: LazyIncomingMessage) {
        return (this.#headers ??= new Proxy<IncomingHttpHeaders>({}, new LazyHeaders(this)));
      },
      set(this: LazyIncomingMessage, headers: IncomingHttpHeaders) {
        this.#headers = headers;
      },
    });
  }
}

/**
 * One message's headers: answers lookups of an absent `expect`; any other access fills the object with Node's own
 * headers.
 */
class LazyHeaders implements ProxyHandler<IncomingHttpHeaders> {
  readonly #message: LazyIncomingMessage;
  #isFilled = false;

  constructor(message: LazyIncomingMessage) {
    this.#message = message;
  }

  get(target: IncomingHttpHeaders, name: string | symbol): unknown {
    if (!this.#isFilled && name === 'expect' && findField(this.#message.rawHeaders, 'expect') === undefined)
      return undefined;
    return Reflect.get(this.fill(target), name);
  }

  fill(target: IncomingHttpHeaders): IncomingHttpHeaders {
    if (!this.#isFilled) Object.assign(target, nodeMessage.headers(this.#message));
    this.#isFilled = true;
    return target;
  }
}

for (const trap of [
  'set',
  'has',
  'deleteProperty',
  'ownKeys',
  'getOwnPropertyDescriptor',
  'defineProperty',
] as const)
  Object.defineProperty(LazyHeaders.prototype, trap, {
    value(this: LazyHeaders, target: IncomingHttpHeaders, ...given: never[]): unknown {
      return Reflect.apply(Reflect[trap], Reflect, [this.fill(target), ...given]);
    },
  });

/** The message class for servers. Last in the file, because `messageClass` tests the class. */
export const ServerMessage: typeof IncomingMessage = messageClass(LazyIncomingMessage);
