import type { StackPlace } from './capture-call-sites.js';

/** Where something was called, and whether that was seen at an earlier time and not at this one. */
export interface TakenSites<Site = StackPlace> {
  readonly sites: readonly Site[];
  readonly isRemembered: boolean;
}

interface Known<Site> {
  sites: readonly Site[];
  uses: number;
  /** It was seen in different places, so that none is remembered. */
  varies: boolean;
}

/** How often a stack is taken of what is new. */
const learned = 3;
const maxKnown = 2000;

/**
 * Remembers where the application does what it does over and over: the stack of a call takes longer to read than the call
 * to send. A stack is taken the first times, one time in `oneIn` (16), after `doubt`, and always of what was seen in several
 * places. What is known is kept as a number, since the text may contain data of a request.
 */
export class CallSiteMemory<Site = StackPlace> {
  readonly #known = new Map<number, Known<Site>>();
  readonly #oneIn: number;

  constructor({ oneIn = 16 }: { readonly oneIn?: number } = {}) {
    this.#oneIn = oneIn;
  }

  /** Returns where `what` is called on this route, by a look at the stack (`capture`) or as it was before. */
  take(route: string, what: string, capture: () => readonly Site[]): TakenSites<Site> {
    const key = keyOf(route, what);
    const known = this.#known.get(key);
    if (known === undefined) {
      if (this.#known.size >= maxKnown) this.#known.clear();
      const sites = capture();
      this.#known.set(key, { sites, uses: 1, varies: false });
      return { sites, isRemembered: false };
    }
    const { uses } = known;
    known.uses++;
    if (!known.varies && uses >= learned && uses % this.#oneIn !== 0)
      return { sites: known.sites, isRemembered: true };
    const sites = capture();
    if (isSame(sites, known.sites)) return { sites: known.sites, isRemembered: false };
    known.varies = true;
    return { sites, isRemembered: false };
  }

  /** The next stack is taken anew: this time it failed, say. */
  doubt(route: string, what: string): void {
    const known = this.#known.get(keyOf(route, what));
    if (known !== undefined) known.uses = 0;
  }
}

function isSame(sites: readonly unknown[], others: readonly unknown[]): boolean {
  return sites.length === others.length && JSON.stringify(sites) === JSON.stringify(others);
}

/** A number of 53 bits that hardly any two texts share. */
function keyOf(route: string, what: string): number {
  let [a, b] = [0x9e_37_79_b9, 0x85_eb_ca_6b];
  for (const text of [route, what]) {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      a = Math.imul(a ^ code, 0x01_00_01_93);
      b = Math.imul(b ^ code, 0x5b_d1_e9_95);
      b ^= b >>> 15;
    }
    a = Math.imul(a ^ 0xff_ff, 0x01_00_01_93);
    b = Math.imul(b ^ 0xff_ff, 0x5b_d1_e9_95);
  }
  return (a >>> 0) * 0x20_00_00 + ((b ^ (b >>> 13)) & 0x1f_ff_ff);
}
