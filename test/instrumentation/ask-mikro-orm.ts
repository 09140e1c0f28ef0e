/**
 * A program with its own MikroORM, run with `--import lookback/register`: prints the kind of each statement in a request's record, and
 * whether its call site is the function that sent it.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EntitySchema, MikroORM } from '@mikro-orm/libsql';
import { recordQueries } from 'lookback/instrumentation';

const noteSchema = new EntitySchema<{ id: number; title: string }>({
  name: 'Note',
  properties: { id: { type: 'number', primary: true, autoincrement: true }, title: { type: 'string' } },
});
const orm = await MikroORM.init({ dbName: ':memory:', entities: [noteSchema] });
await orm.schema.execute(await orm.schema.getCreateSchemaSQL());
recordQueries(orm);

async function writeNotes(): Promise<void> {
  const em = orm.em.fork();
  const write = (...titles: readonly string[]): Promise<void> => {
    for (const title of titles) em.create(noteSchema, { title });
    return em.flush();
  };
  await write('alone');
  await write('one', 'two');
  const notes = await em.findAll(noteSchema);
  for (const note of notes) note.title += '!';
  await em.flush();
  for (const note of notes) em.remove(note);
  await em.flush();
  await em.transactional(async (inner) => {
    inner.create(noteSchema, { title: 'last' });
  });
}

const server = createServer((_request, response) => void writeNotes().then(() => response.end()));
await once(server.listen(0, '127.0.0.1'), 'listening');
const { port } = server.address() as AddressInfo; // it listens on a port
const base = `http://127.0.0.1:${port}`;
const token = (await fetch(base)).headers.get('x-debug-token') ?? '';
const record = (await (await fetch(`${base}/_profiler/${token}.json`)).json()) as {
  sections: { db: { queries: { sql: string; callSite: { name: string | null }[] }[] } };
}; // from a record
for (const { sql, callSite } of record.sections.db.queries)
  console.log(
    `${(/^\w+/.exec(sql)?.[0] ?? '').toLowerCase()} ${String(callSite.some(({ name }) => name === 'writeNotes'))}`,
  );
server.close();
await orm.close();
