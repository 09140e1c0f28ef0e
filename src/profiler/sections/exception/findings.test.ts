import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flattenError } from '#core/errors';
import { plain } from '../../../../test/profiler/plain-record.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { RecordFinding } from '../finding.js';
import { describeException } from './findings.js';
import { finders, stepsOf } from '../completed.js';

function findIn(changes: Partial<ProfileRecord>): readonly RecordFinding[] {
  return finders.flatMap((find) => find({ ...plain, ...changes }, stepsOf) ?? []);
}

describe('the end of a request', () => {
  it('explains a failure unless it is complete', () => {
    assert.deepEqual(findIn({}), []);
    const cut = { kind: 'cut', level: 'warn', target: { panel: 'request' }, explains: 'failure' };
    assert.deepEqual(findIn({ state: 'aborted' }), [{ ...cut, text: 'The response was cut off after 10 B' }]);
    assert.deepEqual(findIn({ state: 'unfinished' }), [
      { ...cut, kind: 'no-response', text: 'No response was sent' },
    ]);
    const left =
      plain.response === null ? null : { ...plain.response, status: 499, headers: [], bodyBytes: 0 };
    for (const response of [null, left])
      assert.deepEqual(findIn({ state: 'aborted', response }), [
        { ...cut, kind: 'no-response', text: 'No response was sent' },
      ]);
  });

  it('of an event stream closed by its client is not a failure, unless something was thrown', () => {
    const headers = [['Content-Type', 'text/event-stream; charset=utf-8']] as const;
    const response = plain.response === null ? null : { ...plain.response, headers };
    const [closed, ...others] = findIn({ state: 'aborted', response });
    assert.deepEqual(
      [closed?.level, closed?.text, closed?.explains, others],
      ['info', 'The event stream was closed after 10 B', undefined, []],
    );
    const exception = { ...flattenError(new Error('no'), {}), status: 500 };
    const texts = findIn({ state: 'aborted', response, exception }).map(({ text }) => text);
    assert.equal(texts.includes('The response was cut off after 10 B'), true, texts.join());
  });
});

describe('an exception', () => {
  const exceptionOf = (error: Error, status = 500): NonNullable<ProfileRecord['exception']> => ({
    ...flattenError(error, {}),
    status,
  });

  it('is an error from status 500, and a warning below', () => {
    for (const [status, level] of [
      [500, 'error'],
      [499, 'warn'],
    ] as const) {
      const [found] = findIn({ exception: exceptionOf(new Error('no'), status) });
      assert.deepEqual(
        [found?.level, found?.target, found?.explains],
        [level, { panel: 'exception' }, 'failure'],
      );
    }
  });

  it("is described by its class, unless that says nothing, and its message's first line", () => {
    const words = (error: Error): string => {
      const { origin: _origin, ...exception } = exceptionOf(error); // as if no line is known
      return describeException({ ...plain, exception });
    };
    assert.equal(words(new Error('It broke.\nand more')), 'It broke');
    assert.equal(words(new TypeError('It broke')), 'TypeError: It broke');
    assert.equal(words(new Error('')), 'Error');
    assert.equal(words(new TypeError('')), 'TypeError');
    assert.equal(words(new Error('m'.repeat(161))), 'm'.repeat(160));
  });
});

describe('failed listeners', () => {
  it('are named unless there is an exception', () => {
    const listener = { name: 'audit', priority: 0, startMs: 0, durationMs: 0, stopped: false, failed: true };
    const events = [
      {
        event: 'terminate',
        startMs: 0,
        durationMs: 0,
        listeners: [listener, { ...listener, failed: false }],
      },
    ];
    assert.deepEqual(findIn({ events }), [
      {
        kind: 'failed-listener',
        level: 'error',
        text: 'The listener “audit” threw',
        target: { panel: 'events' },
      },
    ]);
    assert.equal(findIn({ events, exception: flattenError(new Error('no'), {}) }).length, 1);
  });
});

describe('log findings', () => {
  const line = (level: 'info' | 'warning' | 'critical'): ProfileRecord['logs'][number] => ({
    time: 0,
    offsetMs: 0,
    level,
    channel: 'app',
    message: '',
  });
  const logged = (byLevel: Record<string, number>, logs: ProfileRecord['logs']): RecordFinding | undefined =>
    findIn({ logs, logTotals: { total: 0, byLevel, omitted: 0, omittedAfter: 0 } })[0];

  it('count errors and warnings, take the worst level, and link to its first line', () => {
    const logs = [line('info'), line('warning'), line('critical')];
    assert.deepEqual(logged({ warning: 1, critical: 2 }, logs), {
      kind: 'log-error',
      level: 'error',
      text: '2 errors were logged, 1 warning was logged',
      target: { panel: 'logs', anchor: 'log-3' },
    });
    assert.deepEqual(logged({ warning: 2 }, logs), {
      kind: 'log-warning',
      level: 'warn',
      text: '2 warnings were logged',
      target: { panel: 'logs', anchor: 'log-2' },
    });
    assert.deepEqual(logged({ error: 1 }, [line('info')])?.target, { panel: 'logs' });
    assert.equal(logged({ info: 1 }, logs), undefined);
    const said = { ...line('critical'), message: 'The card was declined\nat pay' };
    assert.equal(logged({ critical: 1 }, [said])?.text, '1 error was logged: The card was declined');
    assert.equal(
      logged({ warning: 1, critical: 1 }, [line('warning'), said])?.text,
      '1 error was logged, 1 warning was logged; first error: The card was declined',
    );
  });
});

describe('log findings of a record that left lines out', () => {
  const line = (level: 'info' | 'warning' | 'error', message = ''): ProfileRecord['logs'][number] => ({
    time: 0,
    offsetMs: 0,
    level,
    channel: 'app',
    message,
  });
  const textOf = (
    byLevel: Record<string, number>,
    logs: ProfileRecord['logs'],
    changes: Partial<ProfileRecord> = {},
  ): string | undefined =>
    findIn({ logs, logTotals: { total: 900, byLevel, omitted: 400, omittedAfter: 1 }, ...changes }).find(
      ({ target }) => target?.panel === 'logs',
    )?.text;

  it('call a line the first only if none of its level is missing before it', () => {
    const [info, error, warning] = [line('info'), line('error', 'card declined'), line('warning', 'slow')];
    assert.equal(textOf({ error: 3 }, [info, error]), '3 errors were logged; a later error: card declined');
    assert.equal(textOf({ error: 3 }, [error, info]), '3 errors were logged; first error: card declined');
    assert.equal(
      textOf({ error: 2 }, [info, error, error]),
      '2 errors were logged; first error: card declined',
    );
    assert.equal(textOf({ warning: 3 }, [info, warning]), '3 warnings were logged; a later one: slow');
    assert.equal(textOf({ warning: 2 }, [info, warning, warning]), '2 warnings were logged; first: slow');
    assert.equal(textOf({ error: 1 }, [info, error]), '1 error was logged: card declined');
    assert.equal(textOf({ error: 1 }, [info, info]), '1 error was logged');
  });

  it('do not quote the line of the exception for another error that is missing', () => {
    const exception = { ...flattenError(new Error('no'), {}), status: 500 };
    const logs = [line('info'), line('error', 'no')];
    assert.equal(textOf({ error: 2 }, logs, { exception }), '1 error was logged');
  });
});

describe('missing messages', () => {
  it('are named up to the third', () => {
    const textOf = (count: number): string | undefined => {
      const messages = Array.from({ length: count }, (_, at) => ({ key: `k${at}`, state: 'missing' }));
      return findIn({ sections: { translation: { messages } } })[0]?.text;
    };
    assert.equal(textOf(0), undefined);
    assert.equal(textOf(3), '3 messages are missing: k0, k1, k2');
    assert.equal(textOf(4), '4 messages are missing: k0, k1, k2 …');
  });
});

describe('an exceeded budget', () => {
  it('is reported in its own unit, at the panel that shows it', () => {
    const exceeded = [
      { what: 'durationMs', value: 200, limit: 100 },
      { what: 'bytes', value: 2048, limit: 1024 },
      { what: 'queries', value: 2, limit: 1 },
      { what: 'http.calls', value: 3, limit: 2 },
      { what: 'db.durationMs', value: 20, limit: 10 },
    ];
    assert.deepEqual(
      findIn({ sections: { budget: { exceeded } } }).map(({ text, target }) => [text, target?.panel]),
      [
        ['Over budget: 200 ms; the limit of the route is 100 ms', 'time'],
        ['Over budget: 2.0 KiB; the limit of the route is 1.0 KiB', 'request'],
        ['Over budget: 2 queries; the limit of the route is 1 query', 'db'],
        ['Over budget: 3 (http.calls); the limit of the route is 2 (http.calls)', 'http'],
        ['Over budget: 20.0 ms; the limit of the route is 10.0 ms', 'db'],
      ],
    );
  });
});
