import type { EntityManager } from '@mikro-orm/core';
import type { EntityPlan } from '../plan/compile-plan.js';
import type { Locales, Texts, TranslationStates } from './translation-state.js';

/** What one flush does to one entity in addition to writing its row. */
export interface FlushWork {
  /** Language of `texts`. */
  locale: string;
  /** Texts in that language, for the table of translations. */
  readonly texts: Texts;
  /** Written texts in other languages, by language. */
  readonly staged: Map<string, Texts>;
}

/** One write of a row of an entity with behaviours. */
export interface EntityWrite {
  readonly em: EntityManager;
  readonly entity: object;
  readonly plan: EntityPlan;
  readonly works: FlushWorks;
  readonly work: FlushWork;
}

/** The work of one flush by entity, and the states of the entities' texts. */
export class FlushWorks {
  readonly states: TranslationStates;
  readonly defaultLocale: string;
  readonly #locale: string;
  readonly #works = new Map<object, FlushWork>();

  constructor(
    locale: string,
    { states, locales }: { readonly states: TranslationStates; readonly locales: Pick<Locales, 'default'> },
  ) {
    this.states = states;
    this.defaultLocale = locales.default;
    this.#locale = locale;
  }

  find(entity: object): FlushWork | undefined {
    return this.#works.get(entity);
  }

  open(entity: object): FlushWork {
    const present = this.#works.get(entity);
    if (present !== undefined) return present;
    const work: FlushWork = { locale: this.#locale, texts: new Map(), staged: new Map() };
    this.#works.set(entity, work);
    return work;
  }
}
