import type { EntityManager } from '@mikro-orm/core';
import { mikroOrm, objectIdOf, originalOf, rowOf } from '../orm/mikro-orm.js';
import { persistenceChannels, type UnflushedMessage } from '../trace/channels.js';

const maxMessages = 20;

/** Publishes the entities that a request changed, added or removed and never flushed. Only those that were touched are compared. */
export function publishUnflushed(managers: readonly EntityManager[]): void {
  const { unflushed } = persistenceChannels;
  if (!unflushed.hasSubscribers) return;
  for (const em of managers)
    for (const message of unflushedOf(em).slice(0, maxMessages)) unflushed.publish(message);
}

/** Publishes that a write was still running when the response had been sent. */
export function publishUnawaited(place: string): void {
  const message: UnflushedMessage = { action: 'unawaited', entity: place, id: '', fields: [] };
  persistenceChannels.unflushed.publish(message);
}

function unflushedOf(em: EntityManager): readonly UnflushedMessage[] {
  const work = em.getUnitOfWork(false);
  const messages: UnflushedMessage[] = [];
  const removed = work.getRemoveStack();
  for (const entity of removed) messages.push(messageOf('remove', entity, []));
  for (const entity of work.getPersistStack())
    if (originalOf(entity) === undefined) messages.push(messageOf('create', entity, []));
  for (const entity of work.getIdentityMap().values()) {
    if (!mikroOrm.helper(entity).__touched || removed.has(entity)) continue;
    const fields = changedFields(em, entity);
    if (fields.length > 0) messages.push(messageOf('update', entity, fields));
  }
  return messages;
}

function messageOf(
  action: UnflushedMessage['action'],
  entity: object,
  fields: readonly string[],
): UnflushedMessage {
  const id = action === 'create' ? '' : objectIdOf(entity);
  return { action, entity: mikroOrm.helper(entity).__meta.className, id, fields };
}

/** Returns the fields in which an entity differs from its row as it was loaded. */
function changedFields(em: EntityManager, entity: object): readonly string[] {
  const loaded = originalOf(entity);
  if (loaded === undefined) return [];
  const { className } = mikroOrm.helper(entity).__meta;
  return Object.keys(em.getComparator().diffEntities<object>(className, loaded, rowOf(em, entity)));
}
