import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { fromWebRequest, HttpRequest, type HttpResponse } from '#core/http';
import { eventStream, renderEvent, type ServerEvent } from './event-stream.js';

interface Received {
  readonly type: string;
  readonly data: string;
  readonly id: string;
}

/** Implements again how browsers interpret a stream (WHATWG HTML, section 9.2.6). */
function interpret(stream: string): Received[] {
  const events: Received[] = [];
  let [type, data, id] = ['', '', ''];
  for (const line of stream.split(/\r\n|\n|\r/)) {
    if (line === '') {
      if (data !== '') events.push({ type: type || 'message', data: data.replace(/\n$/, ''), id });
      [type, data] = ['', ''];
      continue;
    }
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'event') type = value;
    if (field === 'data') data += `${value}\n`;
    if (field === 'id' && !value.includes('\0')) id = value;
  }
  return events;
}

describe('a stream event', () => {
  it('is received as sent, whatever it contains', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', ':', ' ', '\n', '\r', 'data: x', 'id: 9', 'é', '\t', '\u2028', '\0'),
    });
    const name = fc.string({ unit: fc.constantFrom('a', ':', '-', ' ', 'é', '1'), minLength: 1 });
    fc.assert(
      fc.property(text, name, name, (data, type, id) => {
        const rendered = renderEvent({ data, event: type, id });
        const received = { type, data: data.replaceAll(/\r\n|\r/g, '\n'), id };
        assert.deepEqual(interpret(rendered), [received]);
        assert.deepEqual(
          interpret(rendered + rendered),
          [received, received],
          'events do not affect each other',
        );
      }),
    );
  });

  it('may contain any line breaks, which do not end it', () => {
    for (const text of ['a\r\nb', 'a\rb', 'a\nb'])
      assert.deepEqual(interpret(renderEvent({ data: text })), [{ type: 'message', data: 'a\nb', id: '' }]);
    assert.equal(renderEvent({ data: 'a\n\nb' }), 'data: a\ndata: \ndata: b\n\n');
  });

  it('has JSON data unless it is text', () => {
    for (const [data, text] of [
      [{ a: [1] }, '{"a":[1]}'],
      [null, 'null'],
      [undefined, 'null'],
      [5, '5'],
      ['"', '"'],
    ] as const)
      assert.deepEqual(interpret(renderEvent({ data }))[0]?.data, text);
  });

  it('is refused if it is neither text nor an object with known fields', () => {
    for (const [event, code] of [
      [{ data: 1, evnt: 'a' }, 'OPTIONS_UNKNOWN'],
      [{ dat: 1 }, 'OPTIONS_UNKNOWN'],
      [{ data: 1, retry: 5 }, 'OPTIONS_UNKNOWN'],
      [{ data: 1, id: Number.NaN }, 'OPTIONS_BAD_VALUE'],
      [{ data: 1, event: 5 }, 'OPTIONS_BAD_VALUE'],
      [5, 'OPTIONS_NOT_AN_OBJECT'],
      [null, 'OPTIONS_NOT_AN_OBJECT'],
    ] as const)
      assert.throws(() => renderEvent(event as never), { code, message: /an event of eventStream\(\)/ });
    assert.equal(renderEvent({ data: 'x', id: 7 }), 'id: 7\ndata: x\n\n');
  });

  it('is refused if its id or type would inject lines', () => {
    for (const bad of ['a\nb', 'a\rb', 'a\0b'])
      for (const field of ['id', 'event'] as const)
        assert.throws(() => renderEvent({ data: 'x', [field]: bad }), { code: 'WEB_EVENT_FIELD' });
  });
});

describe('eventStream', () => {
  it('refuses a request or a source of a wrong type, and a source that returns no async iterable', async () => {
    const request = fromWebRequest(new Request('http://site.test/'));
    const open = eventStream as (...given: unknown[]) => HttpResponse; // what JavaScript may pass
    const bad = { code: 'OPTIONS_BAD_VALUE' };
    assert.throws(() => open(undefined, async function* () {}), { ...bad, message: /^The request argument/ });
    assert.throws(() => open(request, null), { ...bad, message: /^The source argument/ });
    assert.throws(() => open(request, (async function* () {})()), bad);
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    try {
      for (const source of [
        async (): Promise<never> => {
          throw new Error('not a generator');
        },
        () => ['a'],
        () => undefined,
      ]) {
        const body = open(request, source).body as AsyncIterable<string>;
        const message = 'The source() argument of eventStream() is ';
        await assert.rejects(body[Symbol.asyncIterator]().next(), (error: Error & { code?: string }) => {
          assert.equal(error.code, 'OPTIONS_BAD_VALUE');
          return error.message.startsWith(message);
        });
      }
      await new Promise(setImmediate); // unhandled rejections are reported before
      assert.deepEqual(unhandled, []);
    } finally {
      process.off('unhandledRejection', note);
    }
  });

  it('holds on to fewer than ten of 200 sent events', async () => {
    const request = new HttpRequest({
      method: 'GET',
      target: '/',
      rawHeaders: ['Host', 'localhost'],
      httpVersion: '1.1',
      peer: { address: '127.0.0.1', port: 1, encrypted: false },
    });
    const sent: WeakRef<ServerEvent>[] = [];
    const { body } = eventStream(request, async function* () {
      for (let n = 0; n < 200; n++) {
        const event = { data: `event ${n}` };
        sent.push(new WeakRef(event));
        yield event;
      }
      await new Promise(setImmediate);
      setFlagsFromString('--expose-gc');
      (runInNewContext('gc') as () => void)(); // exposed by the flag
      yield `${sent.filter((event) => event.deref() !== undefined).length} of ${sent.length} are kept`;
    });
    let last = '';
    for await (const line of body as AsyncIterable<string>) last = line; // a stream's body
    assert.match(last, /^data: \d of 200 are kept$/m);
  });
});
