import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { createLogger, transports } from 'winston';
import type { ProfileRecord } from '#profiler';
import { recordLogs, startTaps, type StartedTaps, stopRecording } from '#taps';
import { createRecorderBench, type RecorderBench } from './recorder-bench.js';

const sink = (): Writable => new Writable({ write: (_chunk, _encoding, next) => next(), objectMode: true });
const sourceOf = (log: ProfileRecord['logs'][number] | undefined): string =>
  log?.context?.entries?.find(({ key }) => key === 'source')?.value.text ?? '';

describe('log lines of other loggers', () => {
  let bench: RecorderBench;
  let taps: StartedTaps;
  const former = { ...console };
  before(() => {
    bench = createRecorderBench();
    taps = startTaps();
  });
  after(async () => {
    taps.stop();
    assert.deepEqual({ ...console }, former);
    await bench.close();
  });

  it('the console: level, texts, values and the line that wrote it', async () => {
    const { logs } = await bench.record(() => {
      console.warn('disk at', 91, { password: 'hunter2', path: '/data' });
      console.log();
    });
    const [line] = logs;
    assert.deepEqual([line?.level, line?.channel, line?.message], ['warning', 'console', 'disk at 91']);
    assert.match(sourceOf(line), /logs\.test\.js:\d+:\d+$/);
    assert.match(JSON.stringify(line), /\/data/);
    assert.doesNotMatch(JSON.stringify(line), /hunter2/);
    assert.equal(logs.length, 2);
  });

  it('pino: level, message, fields, error and children', async () => {
    const logger = pino({ level: 'info' }, sink());
    const { logs } = await bench.record(() => {
      logger.info({ orderId: 7 }, 'paid');
      logger.child({ part: 'shop' }).error(new Error('out of paper'));
      logger.debug('below the level');
    });
    assert.deepEqual(
      logs.map(({ level, channel, message }) => [level, channel, message]),
      [
        ['info', 'pino', 'paid'],
        ['error', 'pino', 'out of paper'],
      ],
    );
    assert.match(JSON.stringify(logs[0]?.context), /orderId/);
    assert.match(sourceOf(logs[0]), /logs\.test\.js/);
  });

  it('winston: level, message, fields, children, and as it was afterwards', async () => {
    const logger = recordLogs(
      createLogger({ level: 'info', transports: [new transports.Stream({ stream: sink() })] }),
    );
    const { logs } = await bench.record(() => {
      logger.warn('slow', { ms: 900 });
      logger.child({ part: 'shop' }).info('sold');
      logger.debug('below the level');
    });
    assert.deepEqual(
      logs.map(({ level, channel, message }) => [level, channel, message]),
      [
        ['warning', 'winston', 'slow'],
        ['info', 'winston', 'sold'],
      ],
    );
    stopRecording(logger);
    assert.equal(Object.hasOwn(logger, 'write'), false);
    assert.equal((await bench.record(() => logger.warn('again'))).logs.length, 0);
    assert.throws(() => recordLogs({}), { code: 'TAPS_UNKNOWN_TARGET' });
  });
});
