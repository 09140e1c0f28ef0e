import type { Extension, HttpRequest } from 'lookback';
import type { Passwords } from 'lookback/security';
import type { JournalSettings } from '../settings.js';
import { fillJournal } from './fill-journal.js';
import { Journal } from './journal.js';
import { openDatabase } from './open-database.js';
import type { User } from './user.js';

/** The journal's database. */
export interface Database {
  readonly extension: Extension;
  /** The journal for a request: in its language, with its user as the author. */
  journal(request: HttpRequest): Journal;
  /** The journal as read in another language, without a user. */
  journalIn(locale: string): Journal;
  /** Finds the user who logs in with this name; called before the request's user is known. */
  findUser(identifier: string): Promise<User | null>;
  saveHash(identifier: string, passwordHash: string): Promise<void>;
}

/** Opens the database, and fills it if it is new. */
export async function createDatabase(settings: JournalSettings, passwords: Passwords): Promise<Database> {
  const persistence = await openDatabase(settings);
  await fillJournal(persistence, passwords);
  const journalIn = (locale?: string): Journal => new Journal(persistence.forActor({ locale: () => locale }));
  return {
    extension: persistence,
    journal: (request) => new Journal(persistence.entityManager(request)),
    journalIn,
    findUser: (identifier) => journalIn().findUser(identifier),
    saveHash: (identifier, hash) => journalIn().saveHash(identifier, hash),
  };
}
