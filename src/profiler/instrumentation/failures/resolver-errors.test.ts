import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { initTRPC, TRPCError } from '@trpc/server';
import { graphql, GraphQLError, GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';
import { HttpRequest } from '#core/http';
import { createProfiler, requestRecording } from '#profiler';
import { runInScope } from '#core/scope';
import { instrumentGraphqlErrors, instrumentTrpcErrors } from './resolver-errors.js';

const profiler = createProfiler({ store: 'memory:' });
const undos = [instrumentGraphqlErrors(GraphQLError.prototype), instrumentTrpcErrors(TRPCError.prototype)];
after(async () => {
  for (const undo of undos) undo?.();
  await profiler.close();
});

/** Returns status, message and child messages of what a request recorded, in order. */
async function notedBy(work: () => unknown): Promise<readonly unknown[]> {
  const peer = { address: '127.0.0.1', port: 1, encrypted: false };
  const request = new HttpRequest({ method: 'GET', target: '/', rawHeaders: [], httpVersion: '1.1', peer });
  const recording = profiler.begin(request);
  const noted: unknown[] = [];
  recording.error = (_error, report) => {
    const children = report?.errors.at(-1)?.children?.map(({ errors }) => errors.at(-1)?.message);
    noted.push([report?.status, report?.errors.at(-1)?.message, ...(children ?? [])]);
  };
  request.scope.set(requestRecording, recording);
  await runInScope(request.scope, work);
  await new Promise((resolve) => setImmediate(resolve));
  return noted;
}

const queryOf = (resolve: () => unknown): ((query: string) => Promise<unknown>) => {
  const field = { type: GraphQLString, resolve };
  const fields = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => [name, field]));
  const schema = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields }) });
  return (source) => graphql({ schema, source });
};

describe('GraphQL resolver errors', () => {
  const withStatus = (status: unknown): GraphQLError =>
    new GraphQLError('not you', { extensions: { http: { status } } });

  it('are recorded with the status they name, otherwise 500', async () => {
    for (const [thrown, status] of [
      [new TypeError('not you'), 500],
      [withStatus(399), 500],
      [withStatus(400), 400],
      [withStatus(599), 599],
      [withStatus(600), 500],
      [withStatus('404'), 500],
    ] as const) {
      const ask = queryOf(() => {
        throw thrown;
      });
      assert.deepEqual(await notedBy(() => ask('{ a }')), [[status, 'not you']]);
    }
  });

  it('are the inner errors if others mask them; an invalid or successful query records nothing', async () => {
    const ask = queryOf(() => {
      const masked = new GraphQLError('masked', { originalError: new RangeError('the root') });
      throw new GraphQLError('masked again', { originalError: masked });
    });
    assert.deepEqual((await notedBy(() => ask('{ a }'))).at(-1), [500, 'the root']);
    for (const query of ['{ unknown }', '{ unfinished'])
      assert.deepEqual(await notedBy(() => ask(query)), [], query);
    assert.deepEqual(await notedBy(() => queryOf(() => 'fine')('{ a }')), []);
  });

  it('are combined with their highest status; only the first five distinct ones count', async () => {
    let count = 0;
    const ask = queryOf(() => {
      count++;
      throw count === 2 ? withStatus(503) : count === 1 ? withStatus(403) : new Error(`no ${count}`);
    });
    const noted = await notedBy(() => ask('{ a b c d e f g }'));
    assert.equal(noted.length, 5);
    assert.deepEqual(noted[0], [403, 'not you']);
    assert.deepEqual(noted[1], [503, '2 errors of resolvers', 'not you', 'not you']);
    const whole = '5 errors of resolvers; any more are left out';
    assert.deepEqual(noted[4], [503, whole, 'not you', 'not you', 'no 3', 'no 4', 'no 5']);
    const same = new Error('the same');
    const again = queryOf(() => {
      throw same;
    });
    assert.deepEqual(await notedBy(() => again('{ a b }')), [[500, 'the same']]);
  });
});

describe('tRPC procedure errors', () => {
  const { procedure, router, createCallerFactory } = initTRPC.create({ isDev: false });
  const call = (thrown: unknown): (() => Promise<unknown>) => {
    const failing = procedure.query(() => {
      throw thrown;
    });
    const caller = createCallerFactory(router({ failing }))({});
    return () => caller.failing().catch(() => undefined);
  };

  it("are recorded with their code's status, otherwise 500; wrapped errors by their cause", async () => {
    const statuses = {
      PARSE_ERROR: 400,
      BAD_REQUEST: 400,
      UNAUTHORIZED: 401,
      FORBIDDEN: 403,
      NOT_FOUND: 404,
      METHOD_NOT_SUPPORTED: 405,
      CONFLICT: 409,
      PRECONDITION_FAILED: 412,
      UNPROCESSABLE_CONTENT: 422,
      TOO_MANY_REQUESTS: 429,
      TIMEOUT: 500,
    } as const;
    for (const [code, status] of Object.entries(statuses)) {
      const thrown = (): unknown =>
        call(new TRPCError({ code: code as keyof typeof statuses, message: 'not you' }))(); // a table key
      assert.deepEqual(await notedBy(thrown), [[status, 'not you']], code);
    }
    assert.deepEqual(await notedBy(call(new RangeError('out of paper'))), [[500, 'out of paper']]);
    const renamed = (): unknown =>
      call(new TRPCError({ code: 'CONFLICT', message: 'other', cause: new Error('why') }))();
    assert.deepEqual(await notedBy(renamed), [[409, 'other']]);
  });

  it('are not recorded outside of recorded requests', async () => {
    assert.equal(await call(new Error('unseen'))(), undefined);
  });
});
