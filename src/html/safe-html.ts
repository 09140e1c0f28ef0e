/**
 * Markup that may be sent as it stands. There are two ways to one: the `html` tag, which escapes what is filled in,
 * and `trustedHtml` for text that this program itself was compiled with. Data that came from outside is never
 * wrapped; the private field makes a look-alike impossible.
 */
export class SafeHtml {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The markup. */
  toString(): string {
    return this.#text;
  }

  /** True for markup made in this house; a Proxy, a copy or an object from JSON is none. Runs no trap. */
  static is(value: unknown): value is SafeHtml {
    return typeof value === 'object' && value !== null && #text in value;
  }
}

/** True for markup made by `html`, `trustedHtml` or a renderer of this house. */
export function isSafeHtml(value: unknown): value is SafeHtml {
  return SafeHtml.is(value);
}

/**
 * Declares text of our own as markup: an icon, a part that a renderer already escaped. Never give it anything that a
 * request, a file, a log or a store had a part in.
 */
export function trustedHtml(text: string): SafeHtml {
  return new SafeHtml(text);
}
