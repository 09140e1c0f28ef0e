import type { EntityManager } from '@mikro-orm/core';
import { entityValues, originalOf, setQuietly } from '../orm/mikro-orm.js';
import { persistenceErrors } from '../orm/error-codes.js';
import type { EntityPlan } from '../plan/compile-plan.js';

/** Texts by field; null means that there is no text. */
export type Texts = Map<string, string | null>;

/** One translated entity's state in one unit of work. */
export interface TranslationState {
  locale: string;
  /** Values of the entity's own row, for fields that show something else. */
  readonly base: Map<string, unknown>;
  /** Values that the entity shows instead. */
  readonly shown: Map<string, unknown>;
  /** Changed texts, which the flush in progress writes to the translations table. */
  readonly texts: Texts;
  /** Settles when the translations have been read. */
  ready: Promise<void> | undefined;
  /** Whether the row was read again since. */
  isStale: boolean;
}

/** One row write whose entity has behaviours. */
export interface EntityWrite {
  readonly em: EntityManager;
  readonly entity: object;
  readonly plan: EntityPlan;
  /** Undefined if the entity has no translated fields. */
  readonly state: TranslationState | undefined;
}

/** Translation states by entity, and all their languages, for one unit of work. */
export class TranslationStates {
  /** The language in the entities' own rows. */
  readonly defaultLocale: string;
  readonly #states = new WeakMap<object, TranslationState>();

  constructor(defaultLocale: string) {
    this.defaultLocale = canonicalLocale(defaultLocale);
  }

  /** Returns a language tag's canonical form, or the default. Throws `PERSISTENCE_BAD_LOCALE`. */
  canonical(locale: string | undefined): string {
    return locale === undefined ? this.defaultLocale : canonicalLocale(locale);
  }

  /** Returns `locale` and its fallbacks before the default: `fr-CA` → `fr-CA`, `fr` (RFC 4647 lookup). */
  chain(locale: string): readonly string[] {
    const parts = locale.split('-');
    return parts
      .map((_, dropped) => parts.slice(0, parts.length - dropped).join('-'))
      .filter((tag) => tag !== this.defaultLocale);
  }

  find(entity: object): TranslationState | undefined {
    return this.#states.get(entity);
  }

  open(entity: object, locale: string): TranslationState {
    const present = this.#states.get(entity);
    if (present !== undefined) return present;
    const state: TranslationState = {
      locale,
      base: new Map(),
      shown: new Map(),
      texts: new Map(),
      ready: undefined,
      isStale: false,
    };
    this.#states.set(entity, state);
    return state;
  }
}

/** Whether the application changed a field since its text was shown, or since the row was read. */
export function isEdited(entity: object, state: TranslationState, field: string): boolean {
  const before = state.shown.has(field) ? state.shown.get(field) : originalOf(entity)?.[field];
  return (entityValues(entity)[field] ?? null) !== (before ?? null);
}

/** Shows `texts` in an entity instead of its row's own. Keeps fields that were not loaded or were edited. */
export function showTexts(
  entity: object,
  state: TranslationState,
  texts: ReadonlyMap<string, unknown>,
): void {
  const original = originalOf(entity);
  if (original === undefined) return;
  const applied = new Map<string, unknown>();
  for (const field of new Set([...state.shown.keys(), ...texts.keys()])) {
    if (!Object.hasOwn(original, field) || isEdited(entity, state, field)) continue;
    const text = texts.has(field) ? texts.get(field) : original[field];
    applied.set(field, text);
    if (texts.has(field)) {
      state.base.set(field, original[field]);
      state.shown.set(field, text);
    } else {
      state.base.delete(field);
      state.shown.delete(field);
    }
  }
  setQuietly(entity, applied);
}

/**
 * Restores the row's own texts in MikroORM's snapshot after a write: only differences from the row count as changes.
 */
export function restoreBase(entity: object, state: TranslationState): void {
  const original = originalOf(entity);
  if (original === undefined) return;
  for (const [field, value] of state.base) original[field] = value;
}

function canonicalLocale(locale: string): string {
  try {
    return new Intl.Locale(locale).toString();
  } catch (cause) {
    throw persistenceErrors.create('PERSISTENCE_BAD_LOCALE', { locale: locale.slice(0, 50) }, { cause });
  }
}
