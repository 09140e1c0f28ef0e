/**
 * Markup that may be sent unchanged. Create it with the `html` tag, which escapes all values, or with `trustedHtml`,
 * for text that is part of the program. Data from outside is never wrapped; the private field makes a look-alike
 * impossible.
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

  /** True for markup made in this house; false for a Proxy, a copy or an object from JSON. Runs no trap. */
  static is(value: unknown): value is SafeHtml {
    return typeof value === 'object' && value !== null && #text in value;
  }
}

/** True for markup created with `html`, `trustedHtml` or a renderer of this house. */
export function isSafeHtml(value: unknown): value is SafeHtml {
  return SafeHtml.is(value);
}

/**
 * Declares your own text as markup: an icon, or a part that a renderer has already escaped. Never pass it anything
 * that comes from a request, a file, a log or a store.
 */
export function trustedHtml(text: string): SafeHtml {
  return new SafeHtml(text);
}
