import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { Queue, Worker } from 'bullmq';
import { recordJobs, startInstrumentations, type StartedInstrumentations } from '#profiler/instrumentation';
import { startRedis, type TestRedis } from '../security/start-redis.js';
import { createRecorderBench, type RecorderBench } from './recorder-bench.js';

describe('BullMQ jobs', () => {
  let bench: RecorderBench;
  let instrumentations: StartedInstrumentations;
  let server: TestRedis;
  let connection: { host: string; port: number };
  before(async () => {
    server = await startRedis();
    const { hostname: host, port } = new URL(server.url);
    connection = { host, port: Number(port) };
    bench = createRecorderBench();
    instrumentations = startInstrumentations({ recorder: () => bench.profiler });
  });
  after(async () => {
    instrumentations.stop();
    await bench.close();
    await server.stop();
  });

  it('have their own records, in the trace of the request that added them', async () => {
    const queue = recordJobs(new Queue('mail', { connection }));
    await queue.waitUntilReady();
    const record = await bench.record(async () => {
      await queue.add('welcome', { to: 'ada@example.com', password: 'hunter2' });
      await queue.addBulk([{ name: 'fail', data: { n: 1 } }]);
    });
    const { sent } = record.sections['jobs'] as {
      sent: readonly { queue: string; name: string; id: string }[];
    }; // the type that the collector stores
    assert.deepEqual(
      sent.map((job) => [job.queue, job.name, job.id]),
      [
        ['mail', 'welcome', '1'],
        ['mail', 'fail', '2'],
      ],
    );
    assert.equal(
      record.sections['cache'],
      undefined,
      "BullMQ's own Redis commands are not recorded as cache commands",
    );

    const worker = recordJobs(
      new Worker(
        'mail',
        async (job) => {
          console.log(`working on ${job.name}`);
          if (job.name === 'fail') throw new Error('no paper');
          return { done: true };
        },
        { connection, autorun: false },
      ),
    );
    worker.on('error', () => undefined);
    const failed = once(worker, 'failed');
    worker.run().catch(() => undefined);
    await failed;
    await bench.profiler.flush();

    const { traceId } = (record.sections['trace'] as { trace: { traceId: string } }).trace; // the type that the collector stores
    const { rows } = await bench.profiler.list({
      where: [{ columns: ['trace'], test: { kind: 'is', texts: [traceId] } }],
    });
    assert.deepEqual(rows.map(({ method, path, status }) => [method, path, status]).toSorted(), [
      ['GET', '/', 200],
      ['JOB', '/mail/fail', 500],
      ['JOB', '/mail/welcome', 200],
    ]);
    const welcome = await bench.find(rows.find(({ path }) => path === '/mail/welcome')?.token ?? '');
    assert.deepEqual(
      welcome.logs.map(({ message }) => message),
      ['working on welcome'],
    );
    assert.match(JSON.stringify(welcome.sections['jobs']), /ada@example\.com/);
    assert.doesNotMatch(JSON.stringify(welcome), /hunter2/);
    const broken = await bench.find(rows.find(({ path }) => path === '/mail/fail')?.token ?? '');
    assert.equal(broken.exception?.message, 'no paper');
    assert.ok(
      !broken.exception.errors.some(({ isOuter }) => isOuter),
      'a job error is not reported as an answer to a client',
    );

    await worker.close();
    await queue.close();
    assert.throws(() => recordJobs({}), { code: 'INSTRUMENTATION_UNKNOWN_TARGET' });
  });
});
