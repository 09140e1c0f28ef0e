import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { after, before, beforeEach, describe, it } from 'node:test';
import { runInThisContext } from 'node:vm';
import { HttpRequest } from '#core/http';
import { createProfiler, type Profiler, requestRecording } from '#profiler';
import { runInScope } from '#core/scope';
import { beginQuery } from './record-query.js';
import { instrumentKnex, instrumentTypeormCalls } from './orms.js';

interface Query {
  readonly sql: string;
  readonly callSite: readonly { readonly name: string | null }[];
}

type Call = (manager: EntityManager) => Promise<string>;

/** A driver that is called on its own stack. */
async function askDriver(sql: string): Promise<string> {
  await new Promise((resolve) => setImmediate(resolve));
  beginQuery('test', () => ({ sql }), { isWrittenLater: true })?.done();
  return sql;
}

/** Shaped like TypeORM's: `save` first finds, from the driver's stack. */
class EntityManager {
  async find(sql: string): Promise<string> {
    return askDriver(sql);
  }
  async save(sql: string): Promise<string> {
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(() => resolve(this.find(`find to ${sql}`))));
    return askDriver(sql);
  }
  getId(): number {
    return 7;
  }
}

describe('TypeORM calls', () => {
  const queries = channel('lookback:persistence:query');
  const seen: Query[] = [];
  let profiler: Profiler;
  const listen = (message: unknown): void => void seen.push(message as Query);
  const inRequest = <Result>(work: () => Result): Result => {
    const peer = { address: '127.0.0.1', port: 1, encrypted: false };
    const request = new HttpRequest({ method: 'GET', target: '/', rawHeaders: [], httpVersion: '1.1', peer });
    request.scope.set(requestRecording, profiler.begin(request));
    return runInScope(request.scope, work);
  };
  before(() => {
    profiler = createProfiler({ store: 'memory:' });
    queries.subscribe(listen);
  });
  beforeEach(() => seen.splice(0));
  after(async () => {
    queries.unsubscribe(listen);
    await profiler.close();
  });

  it('are the call sites of the queries they cause, even if no one awaits them', async () => {
    const former = Object.getOwnPropertyDescriptors(EntityManager.prototype);
    const undo = instrumentTypeormCalls(EntityManager.prototype);
    const { getId } = EntityManager.prototype;
    assert.equal(getId, former.getId.value);
    const manager = new EntityManager();
    // This package's files do not count as the application's.
    const [listBooks, saveBook] = runInThisContext(
      `[function listBooks(manager) { return manager.find('books'); },
        function saveBook(manager) { return manager.save('book'); }]`,
      { filename: '/application/app.js' },
    ) as [Call, Call];
    assert.deepEqual(await inRequest(() => Promise.all([listBooks(manager), saveBook(manager)])), [
      'books',
      'book',
    ]);
    assert.deepEqual(
      seen.map(({ sql, callSite }) => [sql, callSite[0]?.name]),
      [
        ['books', 'listBooks'],
        ['find to book', 'saveBook'],
        ['book', 'saveBook'],
      ],
    );
    assert.equal(await listBooks(manager), 'books'); // outside any request
    assert.equal(seen.length, 3);
    undo();
    assert.deepEqual(Object.getOwnPropertyDescriptors(EntityManager.prototype), former);
  });
});

describe('Knex connections', () => {
  it('are instrumented once each, including later transactions, and nothing else is mistaken for Knex', async () => {
    const [first, second] = [{}, {}];
    const given = [first, second, first];
    const client = { acquireConnection: async (): Promise<unknown> => given.shift() };
    const instrumented: object[] = [];
    assert.equal(
      instrumentKnex({ client }, (connection) => instrumented.push(connection)),
      true,
    );
    const taken = [];
    for (let time = 0; time < 3; time++) taken.push(await client.acquireConnection());
    assert.deepEqual(
      taken.map((one) => one === first),
      [true, false, true],
    );
    assert.equal(instrumented.length, 2);
    assert.equal(instrumented[0], first);
    for (const other of [{}, { client: null }, { client: 'pg' }])
      assert.equal(
        instrumentKnex(other, () => assert.fail('there is no connection')),
        false,
      );
  });
});
