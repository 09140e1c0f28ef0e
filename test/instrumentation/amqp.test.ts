import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { connect, type ChannelModel } from 'amqplib';
import { recordJobs, startInstrumentations } from '#profiler/instrumentation';
import { until } from '../until.js';
import { createRecorderBench } from './recorder-bench.js';

const address = process.env['AMQP_URL'] ?? 'amqp://127.0.0.1:5672';
const connection = await connect(address).catch(() => undefined);
const skip = connection === undefined ? `no RabbitMQ at ${address} (AMQP_URL)` : false;

describe('RabbitMQ messages with amqplib', { skip }, () => {
  it('have their own records, in the trace of the request that published them', async () => {
    const server = connection as ChannelModel; // otherwise it is skipped
    const bench = createRecorderBench();
    const instrumentations = startInstrumentations({ recorder: () => bench.profiler });
    const queue = `lookback-test-${randomBytes(4).toString('hex')}`;
    const channel = recordJobs(await server.createChannel());
    await channel.assertQueue(queue, { exclusive: true });
    const record = await bench.record(async () => {
      channel.sendToQueue(queue, Buffer.from('{"to":"ada@example.com","password":"hunter2"}'));
      channel.sendToQueue(queue, Buffer.from('seven'));
    });
    const { sent } = record.sections['jobs'] as { sent: readonly { queue: string }[] }; // the type that the collector stores
    assert.deepEqual(
      sent.map((job) => job.queue),
      [queue, queue],
    );

    let delivered = 0;
    await channel.consume(queue, (message) => {
      assert.ok(message !== null);
      channel.ack(message);
      console.log(`message ${++delivered}`);
    });
    await until(() => delivered === 2);
    const { traceId } = (record.sections['trace'] as { trace: { traceId: string } }).trace; // the type that the collector stores
    const where = [{ columns: ['trace'], test: { kind: 'is', texts: [traceId] } }] as const;
    await until(async () => (await bench.profiler.list({ where })).rows.length === 3);
    const { rows } = await bench.profiler.list({ where });
    assert.deepEqual(rows.map(({ method, path, status }) => [method, path, status]).toSorted(), [
      ['GET', '/', 200],
      ['JOB', `/${queue}`, 200],
      ['JOB', `/${queue}`, 200],
    ]);
    const tokens = rows.filter(({ method }) => method === 'JOB').map(({ token }) => token);
    const jobs = await Promise.all(tokens.map((token) => bench.find(token)));
    assert.deepEqual(jobs.map(({ logs }) => logs.map(({ message }) => message)).toSorted(), [
      ['message 1'],
      ['message 2'],
    ]);
    const welcome = jobs.find(({ logs }) => logs[0]?.message === 'message 1');
    assert.ok(welcome !== undefined);
    assert.match(JSON.stringify(welcome.sections['jobs']), /ada@example\.com/);
    assert.doesNotMatch(JSON.stringify(welcome), /hunter2/);

    await channel.close();
    await server.close();
    instrumentations.stop();
    await bench.close();
  });
});
