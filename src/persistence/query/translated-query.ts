import { mikroOrm } from '../orm/mikro-orm.js';
import type { EntityManager, EntityMetadata, EntityName, FilterQuery, QueryOrderMap } from '@mikro-orm/core';
import { type BehaviourSubscriber, getBehaviours } from '../hooks/behaviour-subscriber.js';
import { translationName } from '../store/translation-schema.js';

/**
 * Returns a condition in which translated fields are compared in the entity manager's language, with the same fallback
 * as when they are read: `em.find(Article, translatedWhere(em, Article, { title: { $like: 'B%' } }))`. Works through
 * relations and `$and`, `$or`, `$not`.
 */
export function translatedWhere<Entity extends object>(
  em: EntityManager,
  entity: EntityName<Entity>,
  where: FilterQuery<Entity>,
): FilterQuery<Entity> {
  return rewrite(contextOf(em), em.getMetadata(entity), where) as FilterQuery<Entity>; // same shape, other keys
}

/** Does the same as `translatedWhere`, for `orderBy`. */
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
  return { em, subscriber, chain: subscriber.locales.chain(subscriber.localeOf(em)) };
}

function rewrite(context: QueryContext, meta: EntityMetadata, query: unknown): unknown {
  if (context.chain.length === 0) return query;
  if (Array.isArray(query)) return query.map((part) => rewrite(context, meta, part));
  if (!isPlain(query)) return query;
  const translated = context.subscriber.plans.get(meta.className)?.translated;
  const entries = Object.entries(query).map(([key, value]) => {
    if (key.startsWith('$')) return [key, rewrite(context, meta, value)];
    if (translated?.has(key) === true) return [textExpression(context, meta, key), value];
    const target = Object.hasOwn(meta.properties, key) ? meta.properties[key]?.targetMeta : undefined;
    return [key, target === undefined ? value : rewrite(context, target, value)];
  });
  return Object.fromEntries(entries);
}

/** Returns the SQL for the text of a field in the requested language, as a key of a query. */
function textExpression(
  { em, subscriber, chain }: QueryContext,
  meta: EntityMetadata,
  field: string,
): string {
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
  return mikroOrm
    .raw<object, string>((alias) => {
      const parts = [...chain.map(() => lookup(alias)), hasFallback ? `${alias}.${own(field)}` : 'null'];
      return `coalesce(${parts.join(', ')})`;
    }, params)
    .toString();
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
