import type { EntityManager, EntityName } from '@mikro-orm/core';
import { mikroOrm } from '../orm/mikro-orm.js';

/** An entity that can log in: the fields that security needs. */
export interface PersistentUser {
  readonly identifier: string;
  readonly roles: readonly string[];
  readonly passwordHash?: string | undefined;
  readonly isEnabled?: boolean | undefined;
}

export interface UserProviderOptions {
  /** How the provider is called in records. Default: the name of the entity. */
  readonly name?: string;
  /** Relations that are loaded with the user: those that its roles depend on. */
  readonly populate?: readonly string[];
  /** The stored field for a better hash of the same password; false for none. Default `passwordHash`, if it exists. */
  readonly passwordHash?: string | false;
}

/** Users that are entities; fits wherever `lookback/security` accepts a `UserProvider`. */
export interface EntityUserProvider<User extends PersistentUser = PersistentUser> {
  readonly name: string;
  findUser(identifier: string): Promise<User | undefined>;
  savePasswordHash?(user: PersistentUser, passwordHash: string): Promise<void>;
}

/** Where the entities come from: the unit of work of the current request, and one without a user. */
export interface UserSource {
  readonly current: () => EntityManager;
  readonly root: EntityManager;
}

/** Finds users by a field, in the unit of work that the rest of the request works in: what is changed of them is flushed there. */
export function createEntityUserProvider<User extends PersistentUser>(
  { current, root }: UserSource,
  entity: EntityName<User>,
  { field, ...options }: UserProviderOptions & { readonly field: string },
): EntityUserProvider<User> {
  const { properties, className } = root.getMetadata().get<User>(mikroOrm.Utils.className(entity));
  const where = (identifier: string): never => ({ [field]: identifier }) as never; // a condition on one field of the entity
  const provider: EntityUserProvider<User> = {
    name: options.name ?? className,
    async findUser(identifier) {
      if (identifier.includes('\0')) return undefined; // no database keeps such a text, and some refuse the question
      const populate = (options.populate ?? []) as never; // names of relations, which MikroORM checks
      const user = await current().findOne<User>(entity, where(identifier), { populate });
      // A database may compare without case.
      return user?.identifier === identifier ? user : undefined;
    },
  };
  const { passwordHash: hashField = 'passwordHash' } = options;
  const stored = Object.values<{ readonly name: string; readonly persist?: boolean }>(properties).some(
    ({ name, persist }) => name === hashField && persist !== false,
  );
  if (hashField === false || (!stored && options.passwordHash === undefined)) return provider;
  return {
    ...provider,
    // By a statement of its own: nothing else that the request has changed by then is to be written at its login.
    async savePasswordHash(user, passwordHash) {
      const change = { [hashField]: passwordHash } as never; // one field of the entity
      await root.fork().nativeUpdate<User>(entity, where(user.identifier), change);
      await mikroOrm.helper(user)?.__em?.refresh(user); // the hash, and the version where rows have one
    },
  };
}
