import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { it } from 'node:test';
import fc from 'fast-check';
import { attach } from '#profiler/attach';
import { readConfiguration } from '#framework/app';
import { readSettings } from '../../src/profiler/attach/watch/attach-options.js';
import { listenOn } from './apps/listen.js';

const shared = [
  'LOOKBACK_IDE',
  'LOOKBACK_LOCALS',
  'LOOKBACK_TOOLBAR',
  'PROFILER_IGNORE',
  'PROFILER_MAX_AGE_DAYS',
  'PROFILER_MAX_BYTES',
  'PROFILER_MAX_FAILURES',
  'PROFILER_MAX_RECORDS',
  'PROFILER_SAMPLE',
  'PROFILER_SAMPLE_SECRET',
] as const;
const value = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    '',
    '0',
    '1',
    '0.5',
    '2',
    '5%',
    ' 20 ',
    '1048576',
    '/a, GET /b*',
    'on',
    'off',
    'x'.repeat(32),
  ),
);

it('profiler variables have the same meaning, defaults and checks for attached servers and for applications', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...shared), value, { maxKeys: 4 }), (variables) => {
      const read = (
        from: () => ReturnType<typeof readSettings> | ReturnType<typeof readConfiguration>,
      ): unknown => {
        try {
          const { sample, ignore, retention, editor, toolbar, locals } = from();
          return { sample, ignore, retention, editor, toolbar, locals };
        } catch (error) {
          return String(error);
        }
      };
      assert.deepEqual(
        read(() => readSettings({}, variables)),
        read(() => readConfiguration(variables)),
      );
    }),
  );
  assert.equal(readSettings({}, {}).retention.records, 10_000);
});

it('an attached server shows its record limits on its pages, and reads them from PROFILER_MAX_RECORDS', async () => {
  process.env['PROFILER_MAX_RECORDS'] = '1234';
  try {
    const server = createServer((_request, response) => response.end('Hello'));
    const attached = attach(server, { store: 'memory:', retention: { ageDays: 1 } });
    const { port, close } = await listenOn(server, () => attached.close());
    try {
      await fetch(`http://127.0.0.1:${port}/`);
      const page = await (await fetch(`http://127.0.0.1:${port}/_profiler/`)).text();
      assert.match(page, /1,234 records/);
    } finally {
      await close();
    }
  } finally {
    delete process.env['PROFILER_MAX_RECORDS'];
  }
});
