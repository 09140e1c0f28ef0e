import { refuseUnknownOptions } from '#coded-error';
import type { EntityManager, EntityName } from '@mikro-orm/core';
import type { RequestUser } from '#http';
import { mikroOrm } from '../orm/mikro-orm.js';

/** An entity that can log in: the fields that security needs. */
export interface PersistentUser extends RequestUser {
  readonly passwordHash?: string | undefined;
  readonly isEnabled?: boolean | undefined;
}

export interface UserProviderOptions {
  /** Relations to load with the user, such as those that its roles depend on. */
  readonly populate?: readonly string[];
}

/** A provider of users that are entities; usable wherever `lookback/security` accepts a `UserProvider`. */
export interface EntityUserProvider<User extends PersistentUser = PersistentUser> {
  readonly name: string;
  findUser(identifier: string): Promise<User | undefined>;
  savePasswordHash?(user: PersistentUser, passwordHash: string): Promise<void>;
}

/** Sources of the entities: the unit of work of the current request, and an entity manager without a request. */
export interface UserSource {
  readonly current: () => EntityManager;
  readonly root: EntityManager;
}

/**
 * Creates a provider that finds users by a field, in the unit of work of the request: changes to them are flushed
 * there.
 */
export function createEntityUserProvider<User extends PersistentUser>(
  { current, root }: UserSource,
  entity: EntityName<User>,
  { field, ...options }: UserProviderOptions & { readonly field: string },
): EntityUserProvider<User> {
  refuseUnknownOptions('userProvider()', options, 'populate');
  const { properties, className } = root.getMetadata().get<User>(mikroOrm.Utils.className(entity));
  const where = (identifier: string): never => ({ [field]: identifier }) as never; // a condition on one field of the entity
  const isStored = Object.values<{ readonly name: string; readonly persist?: boolean }>(properties).some(
    ({ name, persist }) => name === 'passwordHash' && persist !== false,
  );
  return {
    name: className,
    async findUser(identifier) {
      if (identifier.includes('\0')) return undefined; // no database can store such a text, and some reject the query
      const populate = (options.populate ?? []) as never; // names of relations, which MikroORM checks
      const user = await current().findOne<User>(entity, where(identifier), { populate });
      // A database may compare case-insensitively.
      return user?.identifier === identifier ? user : undefined;
    },
    ...(isStored && {
      // Written by a separate statement, so that a login does not write other changes of the request.
      async savePasswordHash(user: PersistentUser, passwordHash: string) {
        const change = { passwordHash } as never; // one field of the entity
        await root.fork().nativeUpdate<User>(entity, where(user.identifier), change);
        await mikroOrm.helper(user)?.__em?.refresh(user); // reads the hash, and the version if rows have one
      },
    }),
  };
}
