import type { Redactor } from '#dump';

/** Blocks that are remembered, and the longest of them. */
const mostBlocks = 16;
const longestBlock = 65_536;

const opening = /<(?:style|script)\b[^>]{0,300}>/gi;

/**
 * Hides secrets in HTML. Styles and scripts that stand in a page are most of its beginning and the same on every page: one in
 * which nothing was secret is remembered, and not looked through again.
 */
export class MarkupRedactor {
  static readonly #all = new WeakMap<Redactor, MarkupRedactor>();
  readonly #redactor: Redactor;
  /** Contents of styles and scripts without a secret, the latest first. */
  #harmless: readonly string[] = [];

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** The one of a redactor: what it has seen is worth keeping. */
  static of(redactor: Redactor): MarkupRedactor {
    let markup = MarkupRedactor.#all.get(redactor);
    if (markup === undefined) MarkupRedactor.#all.set(redactor, (markup = new MarkupRedactor(redactor)));
    return markup;
  }

  text(html: string): string {
    let out = '';
    let done = 0;
    opening.lastIndex = 0;
    while (opening.test(html)) {
      const start = opening.lastIndex;
      const known = this.#findHarmless(html, start);
      const end = known === undefined ? endOfBlock(html, start) : Math.min(html.length, start + known.length);
      const block = html.slice(start, end);
      out += this.#text(html.slice(done, start)) + (known === undefined ? this.#clean(block) : block);
      done = end;
      opening.lastIndex = end;
    }
    return out + this.#text(html.slice(done));
  }

  /** What a page says of SQL is no error's. */
  #text(html: string): string {
    return this.#redactor.text(html, { statements: 'whole' });
  }

  #clean(block: string): string {
    const clean = this.#text(block);
    if (clean === block && block !== '' && block.length <= longestBlock) this.#remember(block);
    return clean;
  }

  /** A block goes to its end tag, or to where the text was cut: the beginning of a harmless one is harmless. */
  #findHarmless(html: string, start: number): string | undefined {
    const left = html.length - start;
    return this.#harmless.find((block) => {
      const end = start + block.length;
      if (block.length >= left) return block.slice(0, left) === html.slice(start);
      return html.startsWith('</', end) && html.slice(start, end) === block;
    });
  }

  /** In the place of what is its beginning: a block that was cut is met longer and shorter. */
  #remember(block: string): void {
    const others = this.#harmless.filter((other) => !block.startsWith(other));
    this.#harmless = [block, ...others].slice(0, mostBlocks);
  }
}

/** At its end tag, or where the text was cut. */
function endOfBlock(html: string, start: number): number {
  const end = html.slice(start).search(/<\/(?:style|script)/i);
  return end === -1 ? html.length : start + end;
}
