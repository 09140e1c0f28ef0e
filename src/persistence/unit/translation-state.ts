import { objectIdOf, originalOf, setQuietly, valuesOf } from '../orm/entity-internals.js';

/** Field → text; null stands for "no text". */
export type Texts = Map<string, string | null>;

/** What is known of one translated entity in one unit of work. */
export interface TranslationState {
  /** Language that the entity shows and is edited in. */
  locale: string;
  /** What the entity's own row has in fields that show something else. */
  readonly base: Map<string, unknown>;
  /** What was put into the entity in place of it. */
  readonly shown: Map<string, unknown>;
  /** Texts in further languages that the next flush writes. */
  readonly staged: Map<string, Texts>;
  /** Settled once the translations are read. */
  ready: Promise<void> | undefined;
  /** The row was read again since. */
  isStale: boolean;
}

/** States by entity; entities belong to one unit of work, so do these. */
export class TranslationStates {
  readonly #states = new WeakMap<object, TranslationState>();

  find(entity: object): TranslationState | undefined {
    return this.#states.get(entity);
  }

  /** The state of an entity; a new one starts in `locale`. */
  open(entity: object, locale: string): TranslationState {
    const present = this.#states.get(entity);
    if (present !== undefined) return present;
    const state: TranslationState = {
      locale,
      base: new Map(),
      shown: new Map(),
      staged: new Map(),
      ready: undefined,
      isStale: false,
    };
    this.#states.set(entity, state);
    return state;
  }
}

/** Shows `texts` in an entity in place of its own row's. Fields that were not loaded or are being edited stay. */
export function showTexts(
  entity: object,
  state: TranslationState,
  texts: ReadonlyMap<string, unknown>,
): void {
  const original = originalOf(entity);
  if (original === undefined) return;
  const applied = new Map<string, unknown>();
  for (const field of new Set([...state.shown.keys(), ...texts.keys()])) {
    if (!Object.hasOwn(original, field)) continue;
    const before = state.shown.has(field) ? state.shown.get(field) : original[field];
    if ((valuesOf(entity)[field] ?? null) !== (before ?? null)) continue;
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
 * Puts the row's own texts back into MikroORM's memory of the row, which a write has just overwritten with the texts
 * shown: only what differs from the row may count as a change later.
 */
export function restoreBase(entity: object, state: TranslationState): void {
  const original = originalOf(entity);
  if (original === undefined) return;
  for (const [field, value] of state.base) original[field] = value;
}

/** Entities by the text form of their key. */
export function byObjectId(entities: readonly object[]): Map<string, object> {
  return new Map(entities.map((entity) => [objectIdOf(entity), entity]));
}
