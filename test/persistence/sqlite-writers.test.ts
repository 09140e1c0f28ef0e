import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { EntitySchema, MikroORM } from '@mikro-orm/libsql';
import { createPersistence, type Persistence, withBehaviours } from 'lookback/persistence';
import { createTables } from './create-tables.js';

interface Note {
  id: number;
  title: string;
}

const noteSchema = new EntitySchema<Note>({
  name: 'Note',
  properties: { id: { type: 'integer', primary: true, autoincrement: true }, title: { type: 'string' } },
});

/** An ORM on a file that others may use. It waits only a moment, because waiting would block this process. */
async function open(dbName: string, contextName: string): Promise<Persistence> {
  const orm = await MikroORM.init(
    withBehaviours({
      dbName,
      contextName, // MikroORM finds the current transaction by this name
      entities: [noteSchema],
      driverOptions: { timeout: 20 }, // for MikroORM 7's driver
      pool: {
        // for MikroORM 6
        acquireTimeoutMillis: 2000,
        afterCreate(
          connection: { exec(sql: string): unknown },
          done: (error: null, connection: object) => void,
        ) {
          connection.exec('pragma busy_timeout = 20');
          done(null, connection);
        },
      },
    }),
  );
  return createPersistence({ orm });
}

describe('an SQLite file with other writers', () => {
  let folder: string;
  let ours: Persistence;
  let other: Persistence;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lookback-writers-'));
    const path = join(folder, 'notes.db');
    ours = await open(path, 'ours');
    await ours.orm.em.getConnection().execute('pragma journal_mode = wal');
    await createTables(ours.orm);
    // Uses the same library, because two libraries in one process would not see each other's locks.
    other = await open(path, 'other');
  });
  after(async () => {
    await other.close();
    await ours.close();
    await rm(folder, { recursive: true, force: true });
  });

  const write = async (persistence: Persistence, title: string): Promise<void> => {
    const em = persistence.forActor({});
    em.create(noteSchema, { title });
    await em.flush();
  };
  const titles = async (): Promise<string[]> =>
    (await ours.forActor({}).findAll(noteSchema, { orderBy: { id: 'asc' } })).map(({ title }) => title);

  it('lets a transaction that has read still write: no one else writes in between', async () => {
    await ours.forActor({}).transactional(async (em) => {
      assert.equal(await em.count(noteSchema), 0);
      await assert.rejects(write(other, 'theirs'), /database is locked/);
      em.create(noteSchema, { title: 'ours' });
    });
    await write(other, 'theirs');
    assert.deepEqual(await titles(), ['ours', 'theirs']);
  });

  it('fails if the other writer does not finish, and continues as soon as it does', async () => {
    await other.forActor({}).transactional(async () => {
      await assert.rejects(write(ours, 'late'), /database is locked/);
      assert.deepEqual(await titles(), ['ours', 'theirs'], 'readers do not wait');
    });
    await write(ours, 'later');
    await write(other, 'last');
    assert.deepEqual(await titles(), ['ours', 'theirs', 'later', 'last']);
  });

  it('does not let read-only transactions block writers', async () => {
    await ours.forActor({}).transactional(
      async (em) => {
        assert.equal(await em.count(noteSchema), 4);
        await write(other, 'meanwhile');
        assert.equal(await em.count(noteSchema), 4, 'a transaction reads its initial snapshot');
      },
      { readOnly: true },
    );
    assert.equal((await titles()).length, 5);
  });
});
