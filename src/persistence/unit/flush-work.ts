import type { Texts } from './translation-state.js';

/** What one flush does to one entity beside the write of its row. */
export interface FlushWork {
  /** Language of the texts. */
  locale: string;
  /** Texts of that language that go to the table of translations. */
  readonly texts: Texts;
  /** Texts of further languages that were written, by language. */
  readonly staged: Map<string, Texts>;
  /** The update stands for a removal. */
  isRemoval: boolean;
}

/** The works of one flush. */
export class FlushWorks {
  /** Slugs that this flush gives out, by column: rows that no query can see yet. */
  readonly slugs: Map<string, Set<string>> = new Map();
  readonly #locale: string;
  readonly #works = new Map<object, FlushWork>();

  constructor(locale: string) {
    this.#locale = locale;
  }

  find(entity: object): FlushWork | undefined {
    return this.#works.get(entity);
  }

  open(entity: object): FlushWork {
    const present = this.#works.get(entity);
    if (present !== undefined) return present;
    const work: FlushWork = { locale: this.#locale, texts: new Map(), staged: new Map(), isRemoval: false };
    this.#works.set(entity, work);
    return work;
  }

  entries(): IterableIterator<[object, FlushWork]> {
    return this.#works.entries();
  }
}
