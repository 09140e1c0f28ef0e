import { EntitySchema, MikroORM } from '@mikro-orm/libsql';

/** The page of both applications: a person's page of a journal, from an in-memory database. */
export const articleSchema = new EntitySchema({
  name: 'Article',
  properties: {
    id: { type: 'number', primary: true },
    topic: { type: 'string', index: true },
    title: { type: 'string' },
    author: { type: 'string', index: true },
  },
});

export const topics = [
  'news',
  'sport',
  'weather',
  'science',
  'music',
  'travel',
  'food',
  'books',
  'film',
  'games',
];

/** `prepare` may change the ORM's options. */
export async function openJournal(prepare = (options) => options) {
  const orm = await MikroORM.init(
    prepare({ dbName: ':memory:', entities: [articleSchema], allowGlobalContext: false }),
  );
  await orm.schema.createSchema();
  const em = orm.em.fork();
  for (let id = 1; id <= 500; id++) {
    em.create('Article', { id, topic: topics[id % 10], title: `Article ${id}`, author: `author-${id % 40}` });
  }
  await em.flush();
  return orm;
}

const greetings = { en: 'Welcome', de: 'Willkommen', fr: 'Bienvenue' };

/** The page's work: three queries and five log lines. */
export async function showPage(em, { log, name, topic, locale, user }) {
  log.info({ name, topic }, 'Showing a page.');
  const newest = await em.find('Article', { topic }, { orderBy: { id: 'desc' }, limit: 5 });
  log.info({ count: newest.length }, 'Found the newest articles.');
  const count = await em.count('Article', { author: `author-${name.length}` });
  log.info({ count }, 'Counted articles.');
  const first = await em.findOne('Article', { id: (topic.length % 500) + 1 });
  log.info({ title: first?.title }, 'Found the first article.');
  log.info({ user, locale }, 'The page is ready.');
  return {
    greeting: greetings[locale],
    user,
    count,
    first: first?.title,
    newest: newest.map(({ id, title }) => ({ id, title })),
  };
}
