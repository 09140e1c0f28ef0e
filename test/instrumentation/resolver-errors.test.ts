import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ReportedError } from '#core/errors';
import { type RunningProgram, startProgram } from '../attach/flagged-program.js';

const body = `
const resolve = async (id) => {
  await new Promise((done) => setTimeout(done, id % 5));
  if (id === 'fine') return 'fine';
  throw new TypeError('out of paper ' + id, { cause: new Error('the root') });
};
const refuse = () => { throw new GraphQLError('not you', { extensions: { http: { status: 403 } } }); };
const text = { type: GraphQLString };
const book = { type: GraphQLString, args: { id: text }, resolve: (_, { id }) => resolve(id) };
const schema = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields: { book, refuse: { ...text, resolve: refuse } } }) });
const graphql = createHandler({ schema });
const { procedure, router } = initTRPC.create({ isDev: false });
const trpc = createHTTPHandler({ basePath: '/trpc/', router: router({
  book: procedure.query(() => resolve('7')),
  fine: procedure.query(() => 'fine'),
  refuse: procedure.query(() => { throw new TRPCError({ code: 'FORBIDDEN', message: 'not you' }); }),
}) });
createServer((request, response) => (request.url.startsWith('/trpc/') ? trpc : graphql)(request, response))
  .listen(Number(process.env.PORT), '127.0.0.1', () => process.send('up'));`;

const parts = [
  ['{ createServer }', 'node:http'],
  ['{ GraphQLError, GraphQLObjectType, GraphQLSchema, GraphQLString }', 'graphql'],
  ['{ createHandler }', 'graphql-http/lib/use/http'],
  ['{ initTRPC, TRPCError }', '@trpc/server'],
  ['{ createHTTPHandler }', '@trpc/server/adapters/standalone'],
];
const programs = {
  'as ECMAScript modules': {
    name: 'resolvers.mjs',
    text: parts.map(([names, from]) => `import ${names} from '${from}';`).join('') + body,
  },
  'by require': {
    name: 'resolvers.cjs',
    text: parts.map(([names, from]) => `const ${names} = require('${from}');`).join('') + body,
  },
};
const ofQuery = (query: string): string => `/?query=${encodeURIComponent(query)}`;
const messagesOf = (errors: readonly ReportedError[] = []): string[] => errors.map(({ message }) => message);

for (const [what, program] of Object.entries(programs))
  describe(`errors thrown by resolvers, with graphql and tRPC ${what}`, () => {
    let plain: RunningProgram;
    let watched: RunningProgram;
    before(async () => {
      plain = await startProgram(program, { isFlagged: false });
      watched = await startProgram(program, { isFlagged: true });
    });
    after(async () => {
      await plain?.close();
      await watched?.close();
    });

    it("are the record's exception, and the response is the same as without the flag", async () => {
      const own = ['the root', 'out of paper 7'];
      const cases: [path: string, status: number, messages: readonly string[]][] = [
        [ofQuery('{ book(id: "7") }'), 500, own],
        [ofQuery('{ book(id: "fine") }'), 0, []],
        [ofQuery('{ refuse }'), 403, ['not you']],
        [ofQuery('{ unknown }'), 0, []],
        [ofQuery('{ unfinished'), 0, []],
        ['/trpc/book', 500, own],
        ['/trpc/fine', 0, []],
        ['/trpc/refuse', 403, ['not you']],
        ['/trpc/unknown', 404, ['No procedure found on path "unknown"']],
      ];
      for (const [path, status, messages] of cases) {
        const [without, answer] = [await plain.ask(path), await watched.ask(path)];
        assert.deepEqual([answer.status, answer.text], [without.status, without.text]);
        const { exception } = await answer.record();
        assert.deepEqual([exception?.status ?? 0, messagesOf(exception?.errors)], [status, messages], path);
        if (messages === own)
          assert.ok(
            exception?.errors.at(-1)?.frames[0]?.file?.endsWith(program.name),
            JSON.stringify(exception),
          );
      }
    });

    it('are collected if several resolvers threw', async () => {
      const fields = (count: number): string =>
        Array.from({ length: count }, (_, at) => `b${at}: book(id: "1${at}")`).join(' ');
      const gathered = async (path: string): Promise<string[]> => {
        const { exception } = await (await watched.ask(path)).record();
        const children = exception?.errors[0]?.children?.map(({ errors }) => errors.at(-1)?.message ?? '');
        return [exception?.message ?? '', ...(children ?? []).toSorted()];
      };
      assert.deepEqual(await gathered(ofQuery(`{ ${fields(2)} }`)), [
        '2 errors of resolvers',
        'out of paper 10',
        'out of paper 11',
      ]);
      const cut = await gathered(ofQuery(`{ ${fields(9)} }`));
      assert.deepEqual([cut.length, cut[0]], [6, '5 errors of resolvers; any more are left out']);
      assert.deepEqual(await gathered('/trpc/book,fine,refuse?batch=1'), [
        '2 errors of resolvers',
        'not you',
        'out of paper 7',
      ]);
    });

    it("are in their own request's record, with 100 concurrent requests", async () => {
      await Promise.all(
        Array.from({ length: 100 }, async (_, at) => {
          const isFine = at % 4 === 0;
          const answer = await watched.ask(ofQuery(`{ book(id: "${isFine ? 'fine' : at}") }`));
          const { exception } = await answer.record();
          assert.equal(exception?.message, isFine ? undefined : `out of paper ${at}`);
        }),
      );
    });
  });
