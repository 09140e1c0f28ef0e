import type { EntityManager, EntityMetadata, EntityName, FilterQuery, QueryOrderMap } from '@mikro-orm/core';
import type { FieldOf } from '../declare/define-behaviours.js';
import { type BehaviourSubscriber, findBehaviours, getBehaviours } from '../hooks/behaviour-subscriber.js';
import { entityValues, mikroOrm, objectIdOf, setQuietly } from '../orm/mikro-orm.js';
import { readAndShow, readTranslations, translationName } from '../translate/translation-store.js';
import { isEdited, type TranslationState } from '../unit/translation-state.js';
import { persistenceErrors } from '../orm/error-codes.js';
import type { EntityPlan } from '../plan/compile-plan.js';

/** Returns the language in which an entity is shown and edited. */
export function localeOf(em: EntityManager, entity: object): string {
  const subscriber = getBehaviours(em);
  return subscriber.states.find(entity)?.locale ?? subscriber.localeOf(em);
}

/**
 * Returns whether a field has a text in the language in which the entity is shown (`fr` counts for `fr-CA`). Returns
 * false if another language's text is shown, so that a page can mark it (`lang`). Sends no query.
 */
export function isTranslated<Entity extends object>(
  em: EntityManager,
  entity: Entity,
  field: FieldOf<Entity>,
): boolean {
  const { subscriber, state } = translated(em, entity);
  return state.locale === subscriber.states.defaultLocale || typeof state.shown.get(field) === 'string';
}

/**
 * Shows an entity in another language, to which later edits apply. Throws `PERSISTENCE_UNSAVED_TRANSLATION` if edits in
 * the current language are not flushed yet.
 */
export async function showIn(em: EntityManager, entity: object, locale: string): Promise<void> {
  const { subscriber, plan, state } = translated(em, entity);
  const wanted = subscriber.states.canonical(locale);
  if ([...plan.translated].some((field) => isEdited(entity, state, field))) {
    const facts = { entity: plan.name, id: objectIdOf(entity), locale: state.locale };
    throw persistenceErrors.create('PERSISTENCE_UNSAVED_TRANSLATION', facts);
  }
  state.locale = wanted;
  await rereadTexts(em, entity, { subscriber, plan, state });
}

/** Returns an entity's stored texts by language and field, including the default language's. */
export async function translationsOf(
  em: EntityManager,
  entity: object,
): Promise<Map<string, Record<string, string | null>>> {
  const { subscriber, plan, state } = translated(em, entity);
  const rows = await readTranslations(em, plan.name, [objectIdOf(entity)]);
  const all = new Map<string, Record<string, string | null>>();
  const own = [...plan.translated].map((field) => [
    field,
    state.base.has(field) ? state.base.get(field) : entityValues(entity)[field],
  ]);
  all.set(subscriber.states.defaultLocale, Object.fromEntries(own));
  for (const { locale, field, value } of rows) {
    all.set(locale, { ...all.get(locale), [field]: value });
  }
  return all;
}

interface Translated {
  readonly subscriber: BehaviourSubscriber;
  readonly plan: EntityPlan;
  readonly state: TranslationState;
}

function translated(em: EntityManager, entity: object): Translated {
  const subscriber = getBehaviours(em);
  const name = entity.constructor.name;
  const plan = subscriber.plans.get(name);
  if (plan === undefined || plan.translated.size === 0) {
    throw persistenceErrors.create('PERSISTENCE_NOT_DECLARED', { entity: name, behaviour: 'translatable' });
  }
  return { subscriber, plan, state: subscriber.states.open(entity, subscriber.localeOf(em)) };
}

/** Re-reads an entity's texts in the language in which it was shown, after its row was read again. Discards edits. */
export async function showAgain(em: EntityManager, entity: object): Promise<void> {
  const behaviours = findBehaviours(em);
  const state = behaviours?.states.find(entity);
  const plan = behaviours?.plans.get(entity.constructor.name);
  if (behaviours === undefined || state === undefined || plan === undefined) return;
  await rereadTexts(em, entity, { subscriber: behaviours, plan, state });
}

/** Resets an entity to its row's own texts, and shows it in its state's language. */
async function rereadTexts(
  em: EntityManager,
  entity: object,
  { subscriber: { states }, plan, state }: Translated,
): Promise<void> {
  setQuietly(entity, state.base);
  state.base.clear();
  state.shown.clear();
  await readAndShow([entity], plan, { em, states, locale: state.locale });
}

/**
 * Returns a condition that compares translated fields in the entity manager's language, with the same fallback as when
 * reading: `em.find(Article, translatedWhere(em, Article, { title: { $like: 'B%' } }))`. Works through relations and
 * `$and`, `$or`, `$not`.
 */
export function translatedWhere<Entity extends object>(
  em: EntityManager,
  entity: EntityName<Entity>,
  where: FilterQuery<Entity>,
): FilterQuery<Entity> {
  return rewrite(contextOf(em), em.getMetadata(entity), where) as FilterQuery<Entity>; // same shape, other keys
}

/** Like `translatedWhere`, for `orderBy`. */
export function translatedOrder<Entity extends object>(
  em: EntityManager,
  entity: EntityName<Entity>,
  order: QueryOrderMap<Entity>,
): QueryOrderMap<Entity> {
  return rewrite(contextOf(em), em.getMetadata(entity), order) as QueryOrderMap<Entity>; // same shape, other keys
}

interface QueryContext {
  readonly em: EntityManager;
  readonly subscriber: BehaviourSubscriber;
  /** Languages to look up before the row's own; none for the default language. */
  readonly chain: readonly string[];
}

function contextOf(em: EntityManager): QueryContext {
  const subscriber = getBehaviours(em);
  return { em, subscriber, chain: subscriber.states.chain(subscriber.localeOf(em)) };
}

function rewrite(context: QueryContext, meta: EntityMetadata, query: unknown): unknown {
  if (context.chain.length === 0) return query;
  if (Array.isArray(query)) return query.map((part) => rewrite(context, meta, part));
  if (!isPlain(query)) return query;
  const translated = context.subscriber.plans.get(meta.className)?.translated;
  const entries = Reflect.ownKeys(query).map((key): [key: unknown, value: unknown] => {
    const value = query[key];
    if (typeof key === 'symbol') return [key, value]; // a raw fragment in MikroORM 7
    if (key.startsWith('$')) return [key, rewrite(context, meta, value)];
    if (translated?.has(key) === true) return [textExpression(context, meta, key), value];
    const target = Object.hasOwn(meta.properties, key) ? meta.properties[key]?.targetMeta : undefined;
    return [key, target === undefined ? value : rewrite(context, target, value)];
  });
  return Object.fromEntries(entries as [string, unknown][]); // fragments turn themselves into keys
}

/** Returns the SQL for a field's text in the requested language; usable as a query key. */
function textExpression(
  { em, subscriber, chain }: QueryContext,
  meta: EntityMetadata,
  field: string,
): unknown {
  const quote = (name: string): string => em.getPlatform().quoteIdentifier(name);
  const store = em.getMetadata().get(translationName);
  const table = quote(store.tableName);
  const column = (name: string): string => quote(store.properties[name]?.fieldNames[0] ?? name);
  const own = (name: string): string => quote(meta.properties[name]?.fieldNames[0] ?? name);
  const lookup = (alias: string): string =>
    `(select ${column('value')} from ${table} where ${column('entity')} = ? and ${column('objectId')} = cast(${alias}.${own(meta.primaryKeys[0] ?? 'id')} as text)` +
    ` and ${column('locale')} = ? and ${column('field')} = ?)`;
  const hasFallback = subscriber.plans.get(meta.className)?.fallback !== false;
  const params = chain.flatMap((locale) => [meta.root.className, locale, field]);
  return mikroOrm.raw<object, string>((alias) => {
    const parts = [...chain.map(() => lookup(alias)), hasFallback ? `${alias}.${own(field)}` : 'null'];
    return `coalesce(${parts.join(', ')})`;
  }, params);
}

function isPlain(value: unknown): value is Record<string | symbol, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
