import type { IncomingHttpHeaders } from 'node:http';
import { IncomingMessage } from 'node:http';
import { findField } from '../find-field.js';

const inherited = Object.getOwnPropertyDescriptor(IncomingMessage.prototype, 'headers');

/**
 * Node's message, but that its object of headers is put together when somebody asks for more than Node's server asks
 * for itself. Nothing of ours reads that object (see `RequestHeaders`), and for the fields of a browser it is the dearest
 * part of taking a request. Whatever listens to the server from outside finds it whole.
 */
export class LeanMessage extends IncomingMessage {
  #headers: IncomingHttpHeaders | undefined;

  /** Stands in for `headers`; for the accessor below alone. */
  static headersOf(message: LeanMessage): IncomingHttpHeaders {
    return (message.#headers ??= new Proxy<IncomingHttpHeaders>({}, new LazyHeaders(message)));
  }

  static setHeaders(message: LeanMessage, headers: IncomingHttpHeaders): void {
    message.#headers = headers;
  }
}

// By hand, as the types say that it is a field, which no class may replace by an accessor.
Object.defineProperty(LeanMessage.prototype, 'headers', {
  configurable: true,
  get(this: LeanMessage) {
    return LeanMessage.headersOf(this);
  },
  set(this: LeanMessage, headers: IncomingHttpHeaders) {
    LeanMessage.setHeaders(this, headers);
  },
});

/** Answers for one message's headers: what is not there is said at a look, for anything else the object is made. */
class LazyHeaders implements ProxyHandler<IncomingHttpHeaders> {
  readonly #message: LeanMessage;
  #whole: IncomingHttpHeaders | undefined;

  constructor(message: LeanMessage) {
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
    return (this.#whole ??= inherited?.get?.call(this.#message) as IncomingHttpHeaders); // Node's own accessor
  }
}
