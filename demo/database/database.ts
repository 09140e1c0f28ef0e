import type { Extension, HttpRequest } from 'lookback';
import { latePersistence } from 'lookback';
import type { Passwords } from 'lookback/security';
import type { Persistence } from 'lookback/persistence';
import type { JournalSettings } from '../settings.js';
import type { Journal } from './journal.js';
import type { User } from './user.js';

/** The journal's database, which is opened while the server listens already. */
export interface Database {
  readonly extension: Extension;
  /** The journal for a request: in its language, signed by its user. Waits until the database is open. */
  journal(request: HttpRequest): Promise<Journal>;
  /** The journal as read in another language, without a user. */
  journalIn(locale: string): Promise<Journal>;
  /** Settles when the database is open and filled, or cannot be. */
  readonly opened: Promise<unknown>;
  /** Whoever logs in with the name; asked before it is known who makes the request. */
  findUser(identifier: string): Promise<User | null>;
  saveHash(identifier: string, passwordHash: string): Promise<void>;
}

interface Opened {
  readonly persistence: Persistence;
  readonly Journal: typeof Journal;
}

/** Opens the database. MikroORM takes a moment to load, so that happens beside the start. */
export function createDatabase(settings: JournalSettings, passwords: () => Passwords): Database {
  const opening = open(settings, passwords);
  const journalIn = async (locale?: string): Promise<Journal> => {
    const { persistence, Journal: Opened } = await opening;
    return new Opened(persistence.forActor({ locale: () => locale }));
  };
  return {
    extension: latePersistence(opening.then(({ persistence }) => persistence)),
    async journal(request) {
      const { persistence, Journal: Opened } = await opening;
      return new Opened(persistence.entityManager(request));
    },
    journalIn,
    opened: opening,
    findUser: async (identifier) => (await journalIn()).findUser(identifier),
    saveHash: async (identifier, hash) => (await journalIn()).saveHash(identifier, hash),
  };
}

async function open(settings: JournalSettings, passwords: () => Passwords): Promise<Opened> {
  const [{ openDatabase }, { Journal }, { fillJournal }] = await Promise.all([
    import('./open-database.js'),
    import('./journal.js'),
    import('./fill-journal.js'),
  ]);
  const persistence = await openDatabase(settings);
  await fillJournal(persistence, passwords());
  return { persistence, Journal };
}
