import type { Lease } from '../../model/profile-store.js';
import { createTokenCodec, randomKey, type TokenCodec } from './token-codec.js';

type AskLease = (amount: number) => Lease | Promise<Lease>;

const minLease = 256;
const maxLease = 65_536;

/**
 * Gives each record its number from leased blocks, so that a token is known when the request begins. The first block is
 * leased at `start`, or with the first number. Leases the next block before the present one is used up; without one,
 * numbers are random.
 */
export class TokenSource {
  readonly #ask: AskLease;
  readonly #onFailure: (error: unknown) => void;
  #secret = '';
  #codec: TokenCodec = createTokenCodec('');
  #leased = false;
  #next = 0;
  #end = 0;
  #spare: Lease | undefined;
  #asking = false;
  #askedAt = 0;
  #amount = minLease;
  #waiting: (() => void)[] = [];

  constructor(ask: AskLease, onFailure: (error: unknown) => void) {
    this.#ask = ask;
    this.#onFailure = onFailure;
  }

  get codec(): TokenCodec {
    return this.#codec;
  }

  /** Takes the first lease, unless that was tried before. */
  start(): void {
    if (this.#askedAt === 0) this.#order();
  }

  /** Resolves once the store has given its secret, or failed: before that, tokens of other processes mean nothing. */
  ready(): Promise<void> {
    if (!this.#leased) this.#order();
    return this.#asking && !this.#leased
      ? new Promise((resolve) => this.#waiting.push(resolve))
      : Promise.resolve();
  }

  /** A number and its name. */
  next(): { readonly key: number; readonly token: string } {
    const key = this.#nextKey();
    return { key, token: this.#codec.tokenOf(key) };
  }

  #nextKey(): number {
    if (this.#next >= this.#end) this.#takeSpare();
    if (this.#next >= this.#end) this.#order();
    if (this.#next >= this.#end) return randomKey();
    const key = this.#next++;
    if (this.#spare === undefined && this.#end - this.#next < this.#amount / 2) this.#order();
    return key;
  }

  #takeSpare(): void {
    const lease = this.#spare;
    if (lease === undefined) return;
    this.#spare = undefined;
    this.#next = lease.from;
    this.#end = lease.to;
  }

  #order(): void {
    const now = Date.now();
    if (this.#asking || (!this.#leased && now - this.#askedAt < 250 && this.#askedAt <= now)) return;
    // Blocks grow while they are used up fast, so that a busy process leases about once a second.
    if (this.#leased) this.#amount = nextAmount(this.#amount, now - this.#askedAt);
    this.#askedAt = now;
    this.#asking = true;
    try {
      const lease = this.#ask(this.#amount);
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
    this.#asking = false;
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
    this.#asking = false;
    this.#wake();
    this.#onFailure(error);
  }
}

function nextAmount(amount: number, sinceLast: number): number {
  if (sinceLast < 1000) return Math.min(maxLease, amount * 2);
  return sinceLast > 10_000 ? minLease : amount;
}
