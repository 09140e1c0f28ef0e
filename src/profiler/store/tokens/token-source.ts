import type { Lease } from '../../model/profile-store.js';
import { createTokenCodec, randomKey, type TokenCodec } from './token-codec.js';

type RequestLease = (amount: number) => Lease | Promise<Lease>;

const minLease = 256;
const maxLease = 65_536;

/**
 * Assigns each record a number from leased blocks, so that its token is known when the request begins. The first block
 * is leased at `start` or with the first number, each further block before the current one is used up. Without a lease,
 * numbers are random.
 */
export class TokenSource {
  readonly #requestLease: RequestLease;
  readonly #onFailure: (error: unknown) => void;
  #secret = '';
  #codec: TokenCodec = createTokenCodec('');
  #leased = false;
  #next = 0;
  #end = 0;
  #spare: Lease | undefined;
  #isRequesting = false;
  #requestedAt = 0;
  #amount = minLease;
  #waiting: (() => void)[] = [];

  constructor(requestLease: RequestLease, onFailure: (error: unknown) => void) {
    this.#requestLease = requestLease;
    this.#onFailure = onFailure;
  }

  get codec(): TokenCodec {
    return this.#codec;
  }

  /** Requests the first lease, unless that was attempted before. */
  start(): void {
    if (this.#requestedAt === 0) this.#request();
  }

  /**
   * Resolves when the store has returned its secret, or failed. Before that, tokens of other processes have no meaning.
   */
  ready(): Promise<void> {
    if (!this.#leased) this.#request();
    return this.#isRequesting && !this.#leased
      ? new Promise((resolve) => this.#waiting.push(resolve))
      : Promise.resolve();
  }

  /** Returns the next number and its token. */
  next(): { readonly key: number; readonly token: string } {
    const key = this.#nextKey();
    return { key, token: this.#codec.tokenOf(key) };
  }

  #nextKey(): number {
    if (this.#next >= this.#end) this.#takeSpare();
    if (this.#next >= this.#end) this.#request();
    if (this.#next >= this.#end) return randomKey();
    const key = this.#next++;
    if (this.#spare === undefined && this.#end - this.#next < this.#amount / 2) this.#request();
    return key;
  }

  #takeSpare(): void {
    const lease = this.#spare;
    if (lease === undefined) return;
    this.#spare = undefined;
    this.#next = lease.from;
    this.#end = lease.to;
  }

  #request(): void {
    const now = Date.now();
    if (this.#isRequesting || (!this.#leased && now - this.#requestedAt < 250 && this.#requestedAt <= now))
      return;
    // Blocks grow while they are used up fast, so that a busy process leases about once a second.
    if (this.#leased) this.#amount = nextAmount(this.#amount, now - this.#requestedAt);
    this.#requestedAt = now;
    this.#isRequesting = true;
    try {
      const lease = this.#requestLease(this.#amount);
      if (lease instanceof Promise)
        lease.then(
          (given) => this.#receive(given),
          (error: unknown) => this.#giveUp(error),
        );
      else this.#receive(lease);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  #receive(lease: Lease): void {
    this.#isRequesting = false;
    // The file may have been set aside in the meantime: another store has another secret.
    if (lease.secret !== this.#secret) this.#codec = createTokenCodec(lease.secret);
    this.#secret = lease.secret;
    this.#leased = true;
    this.#spare = lease;
    if (this.#next >= this.#end) this.#takeSpare();
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #giveUp(error: unknown): void {
    this.#isRequesting = false;
    this.#wake();
    this.#onFailure(error);
  }
}

function nextAmount(amount: number, sinceLast: number): number {
  if (sinceLast < 1000) return Math.min(maxLease, amount * 2);
  return sinceLast > 10_000 ? minLease : amount;
}
