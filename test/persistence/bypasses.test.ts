import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { EntitySchema, MikroORM } from '@mikro-orm/libsql';
import { createLogger } from '#log';
import {
  createPersistence,
  defineBehaviours,
  withBehaviours,
  type BehaviourOptions,
  type Persistence,
} from '#persistence';

interface Note {
  id: number;
  title: string;
  slug: string;
  writtenBy?: string | null;
  changedAt: Date;
  removedAt?: Date | null;
}

interface Plain {
  id: number;
  title: string;
}

const id = { type: 'integer', primary: true, autoincrement: true } as const;
const noteSchema = new EntitySchema<Note>({
  name: 'Note',
  properties: {
    id,
    title: { type: 'string' },
    slug: { type: 'string', nullable: true },
    writtenBy: { type: 'string', nullable: true },
    changedAt: { type: 'Date', length: 3, nullable: true },
    removedAt: { type: 'Date', length: 3, nullable: true },
  },
});
defineBehaviours(noteSchema, {
  blameable: { writtenBy: 'create' },
  timestampable: { changedAt: 'update' },
  softDeleteable: { field: 'removedAt' },
  sluggable: { slug: { from: ['title'] } },
  loggable: { fields: ['title'] },
});
const plainSchema = new EntitySchema<Plain>({ name: 'Plain', properties: { id, title: { type: 'string' } } });

async function open(
  options: BehaviourOptions = {},
  log?: Parameters<typeof createPersistence>[0]['log'],
): Promise<Persistence<MikroORM>> {
  const orm = await MikroORM.init(
    withBehaviours({ dbName: ':memory:', entities: [noteSchema, plainSchema] }, options),
  );
  await orm.schema.createSchema();
  return createPersistence({ orm, ...(log === undefined ? {} : { log }) });
}

type Write = (em: MikroORM['em']) => Promise<unknown>;

/** Every way to write rows and no entities, and the behaviours that it passes by. */
const writes: readonly (readonly [name: string, behaviours: string, write: Write])[] = [
  ['nativeUpdate', 'timestampable, sluggable, loggable', (em) => em.nativeUpdate('Note', {}, { title: 'b' })],
  ['nativeDelete', 'loggable, softDeleteable', (em) => em.getRepository('Note').nativeDelete({})],
  ['insert', 'timestampable, blameable, sluggable, loggable', (em) => em.insert('Note', { title: 'a' })],
  [
    'insertMany',
    'timestampable, blameable, sluggable, loggable',
    (em) => em.insertMany('Note', [{ title: 'a' }]),
  ],
  [
    'upsert',
    'timestampable, blameable, sluggable, loggable',
    (em) => em.upsert('Note', { id: 1, title: 'c' }),
  ],
  [
    "a query builder's update",
    'timestampable, sluggable, loggable',
    async (em) => em.createQueryBuilder('Note').update({ title: 'd' }).where({ id: 1 }).execute(),
  ],
  [
    "a query builder's delete",
    'loggable, softDeleteable',
    async (em) => em.qb('Note').delete({ id: 1 }).execute(),
  ],
];

describe('statements that pass behaviours by', () => {
  it('are warned of in the log, once for each call and entity, and carried out', async () => {
    const lines: string[] = [];
    const log = createLogger({
      handlers: [{ handle: (one) => void lines.push(`${one.channel} ${one.level} ${one.message}`) }],
    });
    const persistence = await open({}, () => log);
    try {
      for (const [name, , write] of writes) {
        await write(persistence.forActor({}));
        await write(persistence.forActor({}).fork());
        const told = lines.filter((line) => line.includes(`warning ${name} writes rows of Note`));
        assert.equal(told.length, 1, `${name}: ${lines.join('\n')}`);
      }
      assert.match(
        lines[0] ?? '',
        /^persistence warning .*: timestampable, sluggable, loggable\. Load the entities/,
      );
      assert.equal(lines.length, writes.length);
      await persistence.forActor({}).transactional((em) => em.nativeUpdate('Note', {}, { title: 'x' }));
      assert.equal(lines.length, writes.length);
    } finally {
      await persistence.close();
    }
  });

  it('are refused where that is requested, before anything is written, inside transactions too', async () => {
    const persistence = await open({ bypass: 'refuse' });
    try {
      const em = persistence.forActor({});
      for (const [name, behaviours, write] of writes) {
        const expected = {
          code: 'PERSISTENCE_BYPASSED',
          message: `${name} writes rows of Note and bypasses the behaviours of the entity: ${behaviours}.`,
        };
        await assert.rejects(async () => write(em), expected, name);
        await assert.rejects(em.transactional(write), expected, `${name} in a transaction`);
      }
      assert.equal(await em.count('Note', {}, { filters: false }), 0);
      await em.insert('Plain', { title: 'no behaviours' });
      await em.nativeUpdate('Plain', {}, { title: 'none' });
      await em.qb('Note').select('*').execute();
      await persistence.orm.em.fork().insert('Note', { title: 'rows alone' });
      em.create('Note', { title: 'by the unit of work' });
      await em.flush();
      assert.equal(await em.count('Note'), 2);
    } finally {
      await persistence.close();
    }
  });

  it('are not looked for where no entity has behaviours', async () => {
    const orm = await MikroORM.init(
      withBehaviours({ dbName: ':memory:', entities: [plainSchema] }, { bypass: 'refuse' }),
    );
    await orm.schema.createSchema();
    const persistence = createPersistence({ orm });
    try {
      const em = persistence.forActor({});
      for (const name of ['insert', 'nativeUpdate', 'qb']) assert.equal(Object.hasOwn(em, name), false, name);
      await em.insert('Plain', { title: 'no behaviours' });
      assert.equal(await em.count('Plain'), 1);
    } finally {
      await persistence.close();
    }
  });

  it('become a warning of Node where no log was given, and nothing where they are allowed', async () => {
    const allowed = await open({ bypass: 'allow' });
    const told: unknown[] = [];
    const keep = (warning: Error): void => void told.push(warning);
    process.on('warning', keep);
    await allowed.forActor({}).nativeUpdate('Note', {}, { title: 'b' });
    await allowed.close();
    const persistence = await open();
    try {
      const warned = once(process, 'warning');
      await persistence.forActor({}).nativeUpdate('Note', {}, { title: 'b' });
      const [warning] = (await warned) as [Error & { code?: string }]; // as Node documents
      assert.equal(warning.code, 'PERSISTENCE_BYPASSED');
      assert.deepEqual(told, [warning]);
    } finally {
      process.off('warning', keep);
      await persistence.close();
    }
  });
});
