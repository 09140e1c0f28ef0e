import { randomInt } from 'node:crypto';
import { randomId, tokenOf } from '../../encoding/token.js';

/** Number of ids reserved at a time. The amount grows for a process that uses up its ids before more arrive. */
export const amounts = { first: 1024, most: 65_536 } as const;

/** A range of ids: `from` inclusive, `to` exclusive. */
interface Range {
  from: number;
  readonly to: number;
}

/**
 * Ids for a process's records, reserved from the store ahead of need. Until the first ids arrive, records get random
 * ones.
 */
export class IdSource {
  readonly #reserve: ((amount: number) => void) | undefined;
  #now: Range;
  #next: Range | undefined;
  #isAsked = false;
  #amount: number = amounts.first;
  /** Whether ids have run out since the last reservation. */
  #ranOut = false;
  readonly #first: number;

  /** Without `reserve`, for a store that no other process uses, ids count up from a random start. */
  constructor(reserve?: (amount: number) => void) {
    this.#reserve = reserve;
    this.#now =
      reserve === undefined ? { from: randomInt(2 ** 23), to: Number.POSITIVE_INFINITY } : { from: 0, to: 0 };
    this.#first = this.#now.from;
  }

  next(): { readonly id: number; readonly token: string } {
    if (this.#now.from >= this.#now.to && this.#next !== undefined) {
      this.#now = this.#next;
      this.#next = undefined;
    }
    const now = this.#now;
    if (now.to - now.from < this.#amount / 2 && this.#next === undefined) this.ask();
    const hasOwn = now.from < now.to;
    if (!hasOwn) this.#ranOut = true;
    const id = hasOwn ? now.from++ : randomId();
    return { id, token: tokenOf(id) };
  }

  ask(): void {
    if (this.#isAsked || this.#reserve === undefined || this.#next !== undefined) return;
    this.#isAsked = true;
    this.#reserve(this.#amount);
  }

  add(from: number, to: number): void {
    this.#isAsked = false;
    const isFirst = this.#now.to === 0;
    if (this.#ranOut && !isFirst) this.#amount = Math.min(this.#amount * 2, amounts.most);
    this.#ranOut = false;
    this.#next = { from, to };
  }

  /** True if no ids are reserved, so that new ones are random. */
  get isEmpty(): boolean {
    return this.#now.from >= this.#now.to && this.#next === undefined;
  }

  /** Forgets a pending request, because the writer that would answer it is gone. */
  reset(): void {
    this.#isAsked = false;
  }

  /** Returns whether an id was issued; undefined if only the store knows. */
  wasGiven(id: number): boolean | undefined {
    return this.#reserve === undefined ? id >= this.#first && id < this.#now.from : undefined;
  }
}
