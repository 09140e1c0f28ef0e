/**
 * Markup that may be sent unchanged. Create it with the `html` tag, which escapes all values, or with `trustedHtml`,
 * for text that is part of the program. Never wrap data from outside; the private field makes look-alikes impossible.
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

  /** Returns true for markup created in this house; false for a Proxy, a copy or an object from JSON. Runs no Proxy trap. */
  static is(value: unknown): value is SafeHtml {
    return typeof value === 'object' && value !== null && #text in value;
  }
}

/** Returns true for markup created with `html`, `trustedHtml` or a renderer of this house. */
export function isSafeHtml(value: unknown): value is SafeHtml {
  return SafeHtml.is(value);
}

/**
 * Marks program text as markup: an icon, or a part that a renderer has already escaped. Never pass text that comes from a
 * request, a file, a log or a store.
 */
export function trustedHtml(text: string): SafeHtml {
  return new SafeHtml(text);
}
