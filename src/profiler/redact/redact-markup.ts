import { redactedMark, type Redactor } from '#dump';

/** Blocks that are remembered, and the longest of them. */
const maxBlocks = 16;
const maxBlockLength = 65_536;

const styleTag = /<style\b[^>]{0,300}>/gi;

/**
 * Hides secrets in HTML. The styles in a page are most of its beginning and the same on every page: one in which nothing
 * was secret is remembered, and not looked through again. They are the program's; what else stands in a page may be a
 * visitor's and is not remembered.
 */
export class MarkupRedactor {
  static readonly #all = new WeakMap<Redactor, MarkupRedactor>();
  readonly #redactor: Redactor;
  /** Contents of styles without a secret, the latest first. */
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
    styleTag.lastIndex = 0;
    while (styleTag.test(html)) {
      const start = styleTag.lastIndex;
      const known = this.#findHarmless(html, start);
      const end = known === undefined ? endOfBlock(html, start) : Math.min(html.length, start + known.length);
      const block = html.slice(start, end);
      out += this.#text(html.slice(done, start)) + (known === undefined ? this.#clean(block) : block);
      done = end;
      styleTag.lastIndex = end;
    }
    return out + this.#text(html.slice(done));
  }

  /** What a page says of SQL is no error's. */
  #text(html: string): string {
    return redactInputs(this.#redactor.text(html, { statements: 'whole' }), this.#redactor);
  }

  #clean(block: string): string {
    const clean = this.#text(block);
    if (clean === block && block !== '' && block.length <= maxBlockLength) this.#remember(block);
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
    this.#harmless = [block, ...others].slice(0, maxBlocks);
  }
}

/** At its end tag, or where the text was cut. */
function endOfBlock(html: string, start: number): number {
  const end = html.slice(start).search(/<\/style/i);
  return end === -1 ? html.length : start + end;
}

const inputTag = /<(?:input|meta|button)(?=\s)/gi;
const attribute = /\s{0,100}([^\s=>"'/]{1,100})(?:\s{0,10}=\s{0,10}(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?|\//y;

/** Hides the values of fields with secret names (`_csrf`), of password fields, and of such metadata. */
function redactInputs(html: string, redactor: Redactor): string {
  let out = '';
  let done = 0;
  inputTag.lastIndex = 0;
  while (inputTag.test(html)) {
    const { isSecret, from, to, end } = readInput(html, inputTag.lastIndex, redactor);
    if (isSecret && to > from) {
      out += html.slice(done, from) + redactedMark;
      done = to;
    }
    inputTag.lastIndex = end;
  }
  return out + html.slice(done);
}

/** Whether the attributes name a secret, and where its value is. */
function readInput(
  html: string,
  start: number,
  redactor: Redactor,
): { isSecret: boolean; from: number; to: number; end: number } {
  const found = { isSecret: false, from: 0, to: 0, end: start };
  attribute.lastIndex = start;
  for (let next = attribute.exec(html); next !== null; next = attribute.exec(html)) {
    found.end = attribute.lastIndex;
    const [, name = '', double, single, bare] = next;
    const value = double ?? single ?? bare ?? '';
    const key = name.toLowerCase();
    if (key === 'type' && value.toLowerCase() === 'password') found.isSecret = true;
    if (key === 'name' || key === 'id' || key === 'property') found.isSecret ||= redactor.isSecretName(value);
    if (key !== 'value' && key !== 'content') continue;
    found.to = attribute.lastIndex - (bare === undefined ? 1 : 0);
    found.from = found.to - value.length;
  }
  return found;
}
