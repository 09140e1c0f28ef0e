import { redactedMark, type Redactor } from '#dump';

/** Maximum number of cached blocks. */
const maxBlocks = 16;
/** Maximum length of a cached block. */
const maxBlockLength = 65_536;

const styleTag = /<style\b[^>]{0,300}>/gi;

/**
 * Redacts secrets in HTML. The beginning of a page mostly consists of styles, which are the same on every page; a style block
 * without secrets is cached and not scanned again. Only styles are cached, because they are part of the program; the rest of
 * a page may contain data of a visitor.
 */
export class MarkupRedactor {
  static readonly #all = new WeakMap<Redactor, MarkupRedactor>();
  readonly #redactor: Redactor;
  /** Cached contents of style blocks without secrets, latest first. */
  #harmless: readonly string[] = [];

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Returns the instance for a redactor, which is shared because of its cache. */
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

  /** Redacts a part of a page. SQL in a page is not part of an error message, hence `statements: 'whole'`. */
  #text(html: string): string {
    return redactInputs(this.#redactor.text(html, { statements: 'whole' }), this.#redactor);
  }

  #clean(block: string): string {
    const clean = this.#text(block);
    if (clean === block && block !== '' && block.length <= maxBlockLength) this.#remember(block);
    return clean;
  }

  /** Finds the cached block at an offset. If the text was truncated within the block, its beginning suffices. */
  #findHarmless(html: string, start: number): string | undefined {
    const left = html.length - start;
    return this.#harmless.find((block) => {
      const end = start + block.length;
      if (block.length >= left) return block.slice(0, left) === html.slice(start);
      return html.startsWith('</', end) && html.slice(start, end) === block;
    });
  }

  /** Caches a block, replacing cached prefixes of it (from truncated texts). */
  #remember(block: string): void {
    const others = this.#harmless.filter((other) => !block.startsWith(other));
    this.#harmless = [block, ...others].slice(0, maxBlocks);
  }
}

/** Returns the offset of the end tag, or the end of the text if it was truncated. */
function endOfBlock(html: string, start: number): number {
  const end = html.slice(start).search(/<\/style/i);
  return end === -1 ? html.length : start + end;
}

const inputTag = /<(?:input|meta|button)(?=\s)/gi;
const attribute = /\s{0,100}([^\s=>"'/]{1,100})(?:\s{0,10}=\s{0,10}(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?|\//y;

/** Redacts the values of fields and metadata with secret names (`_csrf`), and of password fields. */
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

/** Parses the attributes of a tag: whether they name a secret, and the offsets of the value. */
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
