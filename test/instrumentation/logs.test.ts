import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { runInThisContext } from 'node:vm';
import { ConsoleLogger, Logger } from '@nestjs/common';
import { pino } from 'pino';
import { createLogger, transports } from 'winston';
import { createLogger as createLookbackLogger, createStreamLogHandler, type LogRecord } from '#core/log';
import type { ProfileRecord } from '#profiler';
import { reportAsOne } from '#core/scope';
import { recordLogs, startInstrumentations, type StartedInstrumentations } from '#profiler/instrumentation';
import { createRecorderBench, type RecorderBench } from './recorder-bench.js';

const sink = (): Writable => new Writable({ write: (_chunk, _encoding, next) => next(), objectMode: true });
const sourceOf = (log: ProfileRecord['logs'][number] | undefined): string =>
  log?.context?.entries?.find(({ key }) => key === 'source')?.value.text ?? '';

describe('log lines of other loggers', () => {
  let bench: RecorderBench;
  let instrumentations: StartedInstrumentations;
  const former = { ...console };
  before(() => {
    bench = createRecorderBench();
    instrumentations = startInstrumentations();
  });
  after(async () => {
    instrumentations.stop();
    assert.deepEqual({ ...console }, former);
    await bench.close();
  });

  it('the console: level, texts, values and the line that wrote it', async () => {
    const { logs } = await bench.record(() => {
      console.warn('disk at', 91, { password: 'hunter2', path: '/data' });
      console.log('%s has %d pages', 'Emma', 474);
    });
    const [line, filled] = logs;
    assert.equal(filled?.message, 'Emma has 474 pages');
    assert.deepEqual([line?.level, line?.channel, line?.message], ['warning', 'console', 'disk at 91']);
    assert.match(sourceOf(line), /logs\.test\.js:\d+:\d+$/);
    assert.match(JSON.stringify(line), /\/data/);
    assert.doesNotMatch(JSON.stringify(line), /hunter2/);
    assert.equal(logs.length, 2);
  });

  it('the console: a line written inside an ORM query, which is recorded as one query', async () => {
    const { logs } = await bench.record(() => reportAsOne(() => console.log('slow query')));
    assert.deepEqual(
      logs.map(({ message }) => message),
      ['slow query'],
    );
  });

  it('the line that wrote it, even through many calls in a package', async () => {
    const deep: unknown = runInThisContext(
      '(function deep(left) { left === 0 ? console.log("from afar") : deep(left - 1); })',
      { filename: '/srv/node_modules/deep/index.js' },
    );
    assert.ok(typeof deep === 'function');
    const { logs } = await bench.record(() => {
      for (const calls of [2, 20]) Reflect.apply(deep, undefined, [calls]);
    });
    for (const line of logs) assert.match(sourceOf(line), /logs\.test\.js:\d+:\d+$/);
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
    assert.match(JSON.stringify(logs[1]?.context), /"part".*"shop".*"type":"error"/);
    assert.match(sourceOf(logs[0]), /logs\.test\.js/);
  });

  it('error-like objects not created by Error keep their message', async () => {
    const refused = Object.create(Error.prototype, {
      message: { value: 'too large' },
      stack: { value: 'MulterError: too large' },
    }) as Error; // as multer and Fastify create theirs
    const { logs } = await bench.record(() => {
      console.error(refused);
      pino(sink()).error(refused);
    });
    assert.deepEqual(
      logs.map(({ message }) => message),
      ['too large', 'too large'],
    );
  });

  it('an error logged as the message keeps its message, even an abort or timeout DOMException', async () => {
    const failed: readonly unknown[] = [
      AbortSignal.abort().reason,
      new DOMException('took too long', 'TimeoutError'),
      new Error('plain'),
    ];
    const wanted = ['This operation was aborted', 'took too long', 'plain'];
    const winston = recordLogs(createLogger({ transports: [new transports.Stream({ stream: sink() })] }));
    for (const [name, log] of [
      ['console', (error: unknown) => console.error(error)],
      ['pino', (error: unknown) => pino(sink()).error(error)],
      ['pino, as a field', (error: unknown) => pino(sink()).error({ err: error })],
      ['winston', (error: unknown) => winston.error(error)],
    ] as const) {
      const { logs } = await bench.record(() => failed.forEach(log));
      assert.deepEqual([name, ...logs.map(({ message }) => message)], [name, ...wanted]);
    }
  });

  it('pino: values are redacted and serialized in the record as by the application', async () => {
    const redacting = pino({ redact: ['person.shoeSize'], serializers: { book: () => 'a book' } }, sink());
    const [line] = (
      await bench.record(() => redacting.info({ person: { shoeSize: 'XLVII' }, book: { pages: 474 } }))
    ).logs;
    const told = JSON.stringify([line?.message, line?.context]); // without the time, which varies
    assert.doesNotMatch(told, /XLVII|474/);
    assert.match(told, /\[Redacted\].*a book/);
  });

  it("Node's request and response objects are shortened, whatever logs or wraps them", async () => {
    const request = new IncomingMessage(new Socket());
    Object.assign(request, { method: 'GET', url: '/books' });
    const response = new ServerResponse(request);
    const { logs } = await bench.record(() => {
      console.log('seen', request, { raw: response });
      pino(sink())
        .child({ req: { id: 7, method: 'GET', url: '/books', headers: {} } })
        .info({ request }, 'seen');
    });
    for (const { context } of logs) assert.ok(JSON.stringify(context).length < 1200, JSON.stringify(context));
    assert.match(JSON.stringify(logs[0]), /\/books.*"statusCode".*"200"/);
    assert.match(JSON.stringify(logs[1]), /"id".*"7".*\/books/);
  });

  it('winston: level, message, fields and children', async () => {
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
    assert.match(JSON.stringify(logs[0]?.context), /"ms".*"900"/);
    assert.match(JSON.stringify(logs[1]?.context), /"part".*"shop"/);
    assert.match(sourceOf(logs[0]), /logs\.test\.js/);
    assert.throws(() => recordLogs({}), { code: 'INSTRUMENTATION_UNKNOWN_TARGET' });
  });

  it("Nest's logger: level, message, context, error and the line that wrote it", async (test) => {
    test.mock.method(process.stdout, 'write', () => true);
    test.mock.method(process.stderr, 'write', () => true);
    instrumentations.look(); // as at the start of a request
    const { logs } = await bench.record(() => {
      const logger = new Logger('Orders');
      logger.log('paid', { total: 7 });
      logger.error('refused', new Error('out of paper').stack);
      new ConsoleLogger({ logLevels: ['error'] }).warn('below the level');
      new ConsoleLogger({ json: true }).fatal({ shelf: 'A4', password: 'hunter2' });
    });
    assert.deepEqual(
      logs.map(({ level, channel, message }) => [level, channel, message]),
      [
        ['info', 'nest', 'paid'],
        ['info', 'nest', ''],
        ['error', 'nest', 'refused'],
        ['critical', 'nest', ''],
      ],
    );
    assert.match(JSON.stringify(logs[0]?.context), /"context".*"Orders"/);
    assert.match(JSON.stringify(logs[1]?.context), /"total"/);
    assert.match(JSON.stringify(logs[2]?.context), /out of paper/);
    assert.match(JSON.stringify(logs[3]?.context), /A4/);
    assert.doesNotMatch(JSON.stringify(logs[3]), /hunter2/);
    assert.match(sourceOf(logs[0]), /logs\.test\.js/);
  });
});

describe("a process's output", () => {
  it('has lines from loggers without an instrumentation of their own, with their levels, and each line once', async (test) => {
    test.mock.method(process.stdout, 'write', () => true);
    test.mock.method(process.stderr, 'write', () => true);
    const bench = createRecorderBench();
    const instrumentations = startInstrumentations();
    instrumentations.look(); // as at the start of a request
    const winston = createLogger({ transports: [new transports.Console()] });
    const ours = createLookbackLogger({ handlers: [createStreamLogHandler(process.stderr)] });
    const toPino = { handle: ({ message }: LogRecord): void => pino(process.stdout).error(message) };
    const toConsole = { handle: ({ message }: LogRecord): void => console.error(message) };
    const passing = createLookbackLogger({ handlers: [toPino, toConsole] });
    const { logs } = await bench.record(() => {
      process.stdout.write(
        '{"name":"shop","hostname":"h","pid":7,"level":40,"order":7,"msg":"paid","v":0}\n',
      );
      process.stdout.write('\u001b[91m[2026-11-23T16:14:32.463] [ERROR] default - \u001b[39mout of paper\n');
      process.stderr.write(
        '10:20 [ERROR] Error: broken\n    at f (/a.js:1:2)\n\tat g (/a.js:3:4)\nat last\n',
      );
      process.stderr.write(Buffer.from('  shop:basket token=abcdef123456 +3ms\none more\n'));
      console.log('by the console');
      winston.info('by winston');
      pino(process.stdout).info('by pino');
      ours.error('by lookback');
      passing.error('by lookback, through an application handler');
    });
    assert.deepEqual(
      logs.map(({ level, channel, message }) => [level, channel, message]),
      [
        ['warning', 'shop', 'paid'],
        ['error', 'stdout', '[2026-11-23T16:14:32.463] [ERROR] default - out of paper'],
        ['error', 'stderr', '10:20 [ERROR] Error: broken\n    at f (/a.js:1:2)\n\tat g (/a.js:3:4)'],
        ['info', 'stderr', 'at last'],
        ['info', 'stderr', '  shop:basket token=[redacted] +3ms'],
        ['info', 'stderr', 'one more'],
        ['info', 'console', 'by the console'],
        ['info', 'winston', 'by winston'],
        ['info', 'pino', 'by pino'],
      ],
    );
    assert.match(JSON.stringify(logs[0]?.context), /"order"/);
    assert.match(sourceOf(logs[4]), /logs\.test\.js/);
    instrumentations.stop();
    await bench.close();
  });
});
