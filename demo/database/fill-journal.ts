import type { Persistence } from 'lookback/persistence';
import type { Passwords } from 'lookback/security';
import { firstArticles } from './first-articles.js';
import { Journal } from './journal.js';

const firstUsers = [
  ['reader', 'ROLE_READER'],
  ['editor', 'ROLE_EDITOR'],
  ['admin', 'ROLE_ADMIN'],
] as const;

/** Adds the first articles, users and comments to an empty journal: all of them or, on failure, none. */
export async function fillJournal(persistence: Persistence, passwords: Passwords): Promise<void> {
  const empty = new Journal(persistence.forActor({}));
  if ((await empty.users()).length > 0) return;
  // Each password equals the name. They are hashed before the transaction, which locks the database.
  const hashes = await Promise.all(firstUsers.map(([name]) => passwords.hash(name)));
  const isFirst = await persistence
    .forActor({ user: () => ({ identifier: 'editor' }) })
    .transactional((em) => fill(new Journal(em), hashes));
  if (!isFirst) return;
  const asReader = new Journal(persistence.forActor({ user: () => ({ identifier: 'reader' }) }));
  const [newest] = await asReader.articles();
  if (newest !== undefined) await asReader.comment(newest, 'Starting at the end is good advice. Thank you!');
}

/** Returns false if another process was faster, which is only known once this one has the lock. */
async function fill(journal: Journal, hashes: readonly string[]): Promise<boolean> {
  if ((await journal.users()).length > 0) return false;
  for (const { publishedAt, en, fr, de } of firstArticles) {
    const translations = de === undefined ? { fr } : { fr, de };
    await journal.publish(en, new Date(publishedAt), translations);
  }
  for (const [index, [name, role]] of firstUsers.entries())
    await journal.addUser(name, role, hashes[index] ?? '');
  return true;
}
