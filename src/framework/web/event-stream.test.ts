import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { isCodedError } from '#core/coded-error';
import { HttpRequest } from '#core/http';
import { eventStream, renderEvent, type ServerEvent } from './event-stream.js';

interface Received {
  readonly type: string;
  readonly data: string;
  readonly id: string;
}

/** A second implementation of how browsers interpret a stream (WHATWG HTML, section 9.2.6). */
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

describe('an event of a stream', () => {
  it('is received as sent, whatever it contains', () => {
    const line = fc.string({
      unit: fc.constantFrom('a', ':', ' ', 'data: x', 'é', '\t', 'id: 9'),
      minLength: 1,
      maxLength: 6,
    });
    const plainField = fc.string({
      unit: fc.constantFrom('a', ':', '-', 'é', '1'),
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 4 }),
        plainField,
        plainField,
        (lines, event, id) => {
          const rendered = renderEvent({ data: lines.join('\n'), event, id });
          assert.deepEqual(interpret(rendered), [{ type: event, data: lines.join('\n'), id }]);
          assert.deepEqual(interpret(rendered + rendered).length, 2, 'the next one begins anew');
        },
      ),
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

  it('is refused if its id or type would inject lines', () => {
    for (const bad of ['a\nb', 'a\rb', '\0'])
      for (const field of ['id', 'event'] as const)
        assert.throws(() => renderEvent({ data: 'x', [field]: bad }), { code: 'WEB_EVENT_FIELD' });
  });
});

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => isCodedError(error) && error.code === code;
}

describe('a rendered event', () => {
  /** Parses an event like a browser (WHATWG HTML, section 9.2.6). */
  const read = (text: string): { type: string; data: string; id: string } | undefined => {
    const event = { type: 'message', data: [] as string[], id: '' };
    for (const line of text.split(/\r\n|\r|\n/)) {
      const [, field = line, value = ''] = /^([^:]*): ?(.*)$/s.exec(line) ?? [];
      if (field === 'data') event.data.push(value);
      if (field === 'event') event.type = value;
      if (field === 'id') event.id = value;
    }
    return event.data.length === 0 ? undefined : { ...event, data: event.data.join('\n') };
  };

  it('is parsed as written, whatever lines it has', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', ':', ' ', '\n', '\r', 'data: x', 'é', '\u2028', '\0'),
    });
    const name = fc.string({ unit: fc.constantFrom('a', ':', ' ', 'é') });
    fc.assert(
      fc.property(text, name, name, (data, event, id) => {
        const written = renderEvent({ data, event: `e${event}`, id: `i${id}` });
        assert.deepEqual(read(written), {
          type: `e${event}`,
          data: data.replaceAll(/\r\n|\r/g, '\n'),
          id: `i${id}`,
        });
        assert.ok(written.endsWith('\n\n'));
        assert.equal(written.slice(0, -2).includes('\n\n'), false);
      }),
    );
  });

  it('has JSON data unless it is text, and refuses names that would inject lines', () => {
    assert.equal(renderEvent({ data: { a: 1 } }), 'data: {"a":1}\n\n');
    assert.equal(renderEvent({ data: undefined }), 'data: null\n\n');
    for (const bad of ['a\nb', 'a\rb', 'a\0b']) {
      assert.throws(() => renderEvent({ data: '', event: bad }), hasCode('WEB_EVENT_FIELD'));
      assert.throws(() => renderEvent({ data: '', id: bad }), hasCode('WEB_EVENT_FIELD'));
    }
  });
});

describe('eventStream', () => {
  it('keeps no sent event in memory', async () => {
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
      (runInNewContext('gc') as () => void)(); // as: exposed by the flag
      yield `${sent.filter((event) => event.deref() !== undefined).length} of ${sent.length} are kept`;
    });
    let last = '';
    for await (const line of body as AsyncIterable<string>) last = line; // a stream's body
    assert.match(last, /^data: \d of 200 are kept$/m);
  });
});
