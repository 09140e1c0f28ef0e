import type { EntityManager } from '@mikro-orm/core';
import type { CodedError } from '#coded-error';
import { originalOf, rowOf } from '../orm/entity-internals.js';
import { persistenceErrors } from '../orm/error-codes.js';
import { helper, Utils } from '../orm/mikro-orm.js';
import { ancestorsOf } from './actor.js';

/**
 * What is wrong where the user of a request is an entity with changes that none of its entity managers will ever write,
 * since another one loaded it; undefined where nothing is.
 */
export function lostUserChanges(user: unknown, own: readonly EntityManager[]): CodedError | undefined {
  if (!Utils.isEntity<object>(user)) return undefined;
  const { __em: em, __meta: meta } = helper(user);
  if (em === undefined || [em, ...ancestorsOf(em)].some((one) => own.includes(one))) return undefined;
  const loaded = originalOf(user);
  if (loaded === undefined) return undefined;
  const { className: entity } = meta;
  const fields = Object.keys(em.getComparator().diffEntities<object>(entity, loaded, rowOf(em, user)));
  if (fields.length === 0) return undefined;
  return persistenceErrors.create('PERSISTENCE_FOREIGN_USER', { entity, fields: fields.join(', ') });
}
