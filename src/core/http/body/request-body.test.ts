import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fromWebRequest } from '../request/from-web-request.js';
import { HttpRequest } from '../request/http-request.js';
import { defaultRequestLimits, type RequestLimits } from '../source/request-source.js';

function chunked(
  chunks: readonly Uint8Array[],
  fields: readonly string[] = [],
  limits: Partial<RequestLimits> = {},
  source?: AsyncIterable<Uint8Array>,
): HttpRequest {
  return new HttpRequest(
    {
      method: 'POST',
      target: '/',
      rawHeaders: ['Host', 'a', ...fields],
      httpVersion: '1.1',
      peer: { address: '', port: 0, encrypted: false },
      body: {
        async *chunks() {
          yield* source ?? chunks;
        },
      },
    },
    { limits: { ...defaultRequestLimits, ...limits } },
  );
}

const typed = (type: string, body: string | Uint8Array, limits?: Partial<RequestLimits>): HttpRequest =>
  chunked([typeof body === 'string' ? Buffer.from(body) : body], ['Content-Type', type], limits);

const urlencoded = 'application/x-www-form-urlencoded';

describe('reading a body', () => {
  it('happens once and is cached in every form', async () => {
    const request = chunked([Buffer.from('{"a":'), Buffer.from('1}')]);
    assert.ok(!('byteLength' in (request.readBytes ?? {})));
    assert.deepEqual(await request.json(), { a: 1 });
    assert.equal(await request.text(), '{"a":1}');
    assert.equal(await request.bytes(), await request.bytes());
    assert.equal(request.readBytes?.byteLength, 7);
    assert.equal(await new Response(request.body).text(), '{"a":1}');
  });

  it('joins any number of chunks', async () => {
    const bytes = Buffer.from(Uint8Array.from({ length: 5000 }, (_, at) => at % 251));
    async function* chunks(): AsyncGenerator<Uint8Array, void> {
      for (let at = 0; at < bytes.length; at++) yield bytes.subarray(at, at + 1);
    }
    assert.deepEqual(Buffer.from(await chunked([], [], {}, chunks()).bytes()), bytes);
  });

  it('measures how long it waited for the client while idle, even if it is interrupted', async (t) => {
    let now = 1000;
    let idle = 0;
    const pass = (ms: number, idleMs: number): void => {
      now += ms;
      idle += idleMs;
    };
    t.mock.method(performance, 'now', () => now);
    t.mock.getter(performance.nodeTiming, 'idleTime', () => idle);
    async function* sent(end: () => void): AsyncGenerator<Uint8Array, void> {
      pass(30, 20);
      yield Buffer.from('a');
      pass(50, 40);
      end();
    }
    const whole = chunked(
      [],
      [],
      {},
      sent(() => undefined),
    );
    assert.equal(whole.bodyWait, undefined);
    await whole.text();
    assert.deepEqual(whole.bodyWait, { startedAt: 1000, endedAt: 1080, waitedMs: 60 });
    const cut = chunked(
      [],
      [],
      {},
      sent(() => assert.fail('cut off')),
    );
    await assert.rejects(cut.text());
    assert.deepEqual(cut.bodyWait, { startedAt: 1080, endedAt: 1160, waitedMs: 60 });
    const large = chunked(
      [],
      [],
      { body: 0 },
      sent(() => undefined),
    );
    await assert.rejects(large.text());
    assert.deepEqual(large.bodyWait, { startedAt: 1160, endedAt: 1190, waitedMs: 20 });
  });

  it('as a stream happens once, and then makes the other readers fail', async () => {
    const request = chunked([Buffer.from('a'), Buffer.from('b')]);
    assert.equal(await new Response(request.body).text(), 'ab');
    await assert.rejects(request.text(), { code: 'HTTP_BODY_CONSUMED' });
  });

  it('returns an empty body for a request without one', async () => {
    const request = fromWebRequest(new Request('http://a/', { method: 'POST' }));
    assert.equal((await request.bytes()).byteLength, 0);
    assert.equal(await request.text(), '');
    await assert.rejects(request.json(), { status: 400 });
  });

  it('R8: 413 over the limit, by announced and by received bytes, as a stream too', async () => {
    const limits = { body: 3 };
    await assert.rejects(chunked([Buffer.from('ab'), Buffer.from('cd')], [], limits).bytes(), {
      status: 413,
    });
    for (const length of ['4', '9007199254740991', '9999999999999999999'])
      await assert.rejects(chunked([], ['Content-Length', length], limits).bytes(), { status: 413 });
    await assert.rejects(new Response(chunked([Buffer.from('abcd')], [], limits).body).text());
    assert.equal(await chunked([Buffer.from('abc')], ['Content-Length', '3'], limits).text(), 'abc');
  });

  it('decodes the supported charsets; 400 for invalid bytes, 415 for other charsets', async () => {
    assert.equal(await typed('text/plain', 'é').text(), 'é');
    assert.equal(await typed('text/plain; charset="ISO-8859-1"', Buffer.from([0xe9])).text(), 'é');
    await assert.rejects(typed('text/plain', Buffer.from([0xe9])).text(), { status: 400 });
    await assert.rejects(typed('text/plain; charset=koi8-r', 'a').text(), { status: 415 });
    await assert.rejects(typed('text/plain; charset', 'a').text(), { status: 415 });
    await assert.rejects(chunked([], ['Content-Encoding', 'gzip']).text(), { status: 415 });
    assert.equal(await chunked([Buffer.from('a')], ['Content-Encoding', 'Identity']).text(), 'a');
  });
});

describe('JSON', () => {
  it('returns what JSON.parse returns, for any valid JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 5 }), async (text) => {
        const expected: unknown = JSON.parse(text);
        if (text.includes('__proto__')) return;
        assert.deepEqual(await typed('application/json', text).json(), expected);
      }),
    );
  });

  it('refuses excessive depth, and counts no brackets in strings', async () => {
    await assert.rejects(typed('application/json', '['.repeat(65) + ']'.repeat(65)).json(), { status: 400 });
    await assert.rejects(
      typed('application/json', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`).json(),
      /deeper than 64/,
    );
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    assert.equal(JSON.stringify(await typed('application/json', nested(64)).json()), nested(64));
    assert.deepEqual(await typed('application/json', `["${'['.repeat(1000)}\\"["]`).json(), [
      `${'['.repeat(1000)}"[`,
    ]);
  });

  it('reaches no prototype, in any spelling of a key', async () => {
    for (const text of [
      '{"__proto__":{"x":1}}',
      '[{"a":{"\\u005f_proto__":1}}]',
      '{"__proto__":null}',
      '{"\\u005f\\u005fproto\\u005f\\u005f":1}',
    ]) {
      await assert.rejects(
        typed('application/json', text).json(),
        (error: Error & { status?: number; cause?: { code?: string } }) => {
          assert.deepEqual([error.status, error.cause?.code], [400, 'HTTP_JSON_FORBIDDEN_KEY']);
          return true;
        },
      );
    }
    assert.deepEqual(await typed('application/json', '{"constructor":"__proto__"}').json(), {
      constructor: '__proto__',
    });
  });
});

describe('forms', () => {
  it('urlencoded: names, values, order, repeats', async () => {
    const form = await typed(urlencoded, 'a=1&b=%C3%A9+x&a=2&c&=d&&').form();
    assert.deepEqual(form.entries, [
      ['a', '1'],
      ['b', 'é x'],
      ['a', '2'],
      ['c', ''],
      ['', 'd'],
    ]);
    assert.deepEqual(
      [form.get('a'), form.getAll('a'), form.has('c'), form.get('none')],
      ['1', ['1', '2'], true, undefined],
    );
  });

  it('brackets nest and make lists; prototype names are refused', async () => {
    const record = async (body: string): Promise<unknown> =>
      (await typed(urlencoded, body).form()).toRecord();
    assert.equal(
      JSON.stringify(await record('a[b]=1&a[c][]=2&a[c][]=3&d[0][x]=4&e=5&e=6&f[=7&[g]=8&h[i]j=9')),
      '{"a":{"b":"1","c":["2","3"]},"d":[{"x":"4"}],"e":["5","6"],"f[":"7","[g]":"8","h[i]j":"9"}',
    );
    for (const name of ['__proto__', 'a[__proto__]', 'constructor[prototype][x]', 'a[b][constructor]']) {
      await assert.rejects(record(`${name}=1`), (error: unknown) =>
        hasCode(error, 400, 'HTTP_FORM_FORBIDDEN_KEY'),
      );
    }
    for (const levels of [20, 10_000])
      await assert.rejects(record(`a${'[b]'.repeat(levels)}=1`), (error: unknown) =>
        hasCode(error, 413, 'HTTP_FORM_TOO_LARGE'),
      );
    assert.equal(({} as Record<string, unknown>)['x'], undefined);
  });

  it("toRecord never fails for names other than a prototype's", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(fc.string({ unit: fc.constantFrom(...'ab[]01'.split('')), maxLength: 12 }), fc.string()),
        ),
        async (pairs) => {
          const body = new URLSearchParams(pairs).toString();
          assert.ok((await typed(urlencoded, body).form()).toRecord());
        },
      ),
    );
  });

  it('bounded: fields, files, malformed encodings', async () => {
    await assert.rejects(typed(urlencoded, 'a&'.repeat(1001)).form(), { status: 413 });
    assert.deepEqual((await typed(urlencoded, 'a=%zz&b=100%&%=%2').form()).entries, [
      ['a', '%zz'],
      ['b', '100%'],
      ['%', '%2'],
    ]);
    await assert.rejects(typed(urlencoded, 'a=%ff').form(), { status: 400 });
    await assert.rejects(typed('text/plain', 'a=1').form(), { status: 415 });
    const files = new FormData();
    for (let index = 0; index < 21; index += 1) files.append('f', new Blob(['x']), 'a.txt');
    await assert.rejects(fromWebRequest(new Request('http://a/', { method: 'POST', body: files })).form(), {
      status: 413,
    });
  });

  it('multipart: fields and files in order, names without folders', async () => {
    const data = new FormData();
    data.set('file', new Blob(['\x00\xff'], { type: 'image/png' }), '../../etc/passwd');
    data.set('text', 'é\r\nline');
    data.set('empty', new Blob([]), '');
    const form = await fromWebRequest(new Request('http://a/', { method: 'POST', body: data })).form();
    assert.deepEqual(form.entries.map(([name]) => name).slice(0, 2), ['file', 'text']);
    assert.equal(form.get('text'), 'é\r\nline');
    assert.deepEqual([form.file('file')?.filename, form.file('file')?.mediaType], ['passwd', 'image/png']);
    assert.equal(form.files('file').length, 1);
  });

  it('multipart that is truncated, has no boundary or is malformed: 400, and nothing hangs', async () => {
    const bad: readonly (readonly [string, string])[] = [
      ['multipart/form-data', 'x'],
      [`multipart/form-data; boundary=${'a'.repeat(100)}`, 'x'],
      ['multipart/form-data; boundary=b', 'no parts'],
      ['multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\ncut'],
      [
        'multipart/form-data; boundary=b',
        '--b\r\nContent-Disposition: form-data; name="a"; filename="f"\r\n\r\ncut',
      ],
    ];
    for (const [type, body] of bad)
      await assert.rejects(typed(type, body).form(), { status: 400 }, `${type} ${body}`);
  });

  const legalParts: readonly (readonly [what: string, body: string])[] = [
    [
      'blanks after the boundary',
      '--b  \t\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n',
    ],
    ['a part without Content-Disposition', '--b\r\nX-A: 1\r\n\r\n1\r\n--b--\r\n'],
    ['a part without a name', '--b\r\nContent-Disposition: form-data\r\n\r\n1\r\n--b--\r\n'],
    ['a file without a name', '--b\r\nContent-Disposition: form-data; filename="f"\r\n\r\n1\r\n--b--\r\n'],
    ['a part with an empty name', '--b\r\nContent-Disposition: form-data; name=""\r\n\r\n1\r\n--b--\r\n'],
    [
      'NUL in the name of a file',
      '--b\r\nContent-Disposition: form-data; name="a"; filename="a\0b.png"\r\n\r\n1\r\n--b--\r\n',
    ],
    [
      'more than twenty header fields before Content-Disposition',
      `--b\r\n${'X-A: 1\r\n'.repeat(30)}Content-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n`,
    ],
  ];

  it('multipart with an unreadable part yields all of its parts or a 400, never fewer', async () => {
    for (const [what, body] of legalParts) {
      const whole = `--b\r\nContent-Disposition: form-data; name="first"\r\n\r\n0\r\n${body}`;
      const outcome = await typed('multipart/form-data; boundary=b', whole)
        .form()
        .then(
          ({ entries }) => entries.length,
          (error: { status?: number }) => error.status,
        );
      assert.ok(outcome === 2 || outcome === 400, `${what}: ${outcome}`);
    }
  });

  it('multipart with a preamble, an epilogue and boundaries split across chunks yields all of its parts', async () => {
    for (const padding of [16_370, 16_375, 16_380, 16_384]) {
      const part = (name: string, value: string): string =>
        `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
      const body = `preamble\r\n${part('a', 'x'.repeat(padding - 80))}${part('b', '2')}${part('c', '3')}--b--\r\n--b\r\nepilogue`;
      const form = await typed('multipart/form-data; boundary=b', body).form();
      assert.deepEqual(
        form.entries.map(([name]) => name),
        ['a', 'b', 'c'],
        String(padding),
      );
    }
  });

  it('multipart with many boundaries after the last one is read to its end', async () => {
    const body = `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--${'--b\r\n--b'.repeat(8000)}`;
    assert.deepEqual((await typed('multipart/form-data; boundary=b', body).form()).entries, [['a', '1']]);
    await assert.rejects(
      typed('multipart/form-data; boundary=b', `--b\r\n${'--b\r\n--b'.repeat(8000)}`).form(),
      { status: 400 },
    );
  });

  it('multipart with any bytes yields a form or a 4xx', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.constantFrom(
            '--b',
            '--b--',
            '\r\n',
            'Content-Disposition: form-data; name="a"',
            '; filename="f"',
            'x',
            '\x00',
            'Content-Type: a/b',
            '\r\n\r\n',
          ),
          { maxLength: 20 },
        ),
        async (parts) => {
          try {
            await typed('multipart/form-data; boundary=b', parts.join('')).form();
          } catch (error) {
            const status = error instanceof Error && 'status' in error ? error.status : undefined;
            assert.ok(status === 400 || status === 413, String(error));
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

function hasCode(error: unknown, status: number, code: string): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return (
    error instanceof Error &&
    'status' in error &&
    error.status === status &&
    cause instanceof Error &&
    'code' in cause &&
    cause.code === code
  );
}

describe('hostile multipart bodies', () => {
  const type = 'multipart/form-data; boundary=b';
  const field = (name: string, value: string): string =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const filled = (unit: string): string => unit.repeat(Math.floor(1_000_000 / unit.length));

  it('are refused by the number of their parts before one is parsed', async () => {
    for (const unit of ['--b\r\n', '--b\r\n\r\n\r\n', field('a', 'b'), field('a"; filename="b', '')]) {
      const begun = process.cpuUsage();
      await assert.rejects(typed(type, `${unit}\r\n${filled(`\r\n${unit}`)}--b--\r\n`).form(), {
        status: 413,
      });
      // It used to take more than half a second, during which nothing else was answered.
      const took = process.cpuUsage(begun).user / 1000;
      assert.ok(took < 250, `${JSON.stringify(unit)}: ${took} ms`);
    }
  });

  it('are refused at the first exceeded limit, and the rest is not parsed', async () => {
    const files = Array.from({ length: 900 }, (_, at) => field(`f${at}"; filename="x`, 'y'.repeat(900))).join(
      '',
    );
    const malformed = '--b\r\nno head\r\n'; // a 400, if it is parsed
    await assert.rejects(typed(type, `${files}${malformed}`).form(), { status: 413 });
  });

  it('with long lines, long heads and no end yield a form or a 4xx, quickly', async () => {
    const head = 'Content-Disposition: form-data; ';
    for (const unit of [
      'name=',
      'name="',
      'a: b\r\n',
      '\\"',
      ';',
      '%41',
      "name*=utf-8''",
      '\r\n\t',
      '-',
      '\r\n--',
    ]) {
      for (const start of [`--b\r\n${head}`, `--b\r\n${head}name="a"\r\n\r\n`]) {
        const begun = process.cpuUsage();
        await typed(type, `${start}${filled(unit)}\r\n--b--\r\n`)
          .form()
          .catch((error: unknown) => assert.match(String(Object(error).status), /^4\d\d$/, unit));
        const took = process.cpuUsage(begun).user / 1000;
        assert.ok(took < 1000, `${unit}: ${took} ms`);
      }
    }
  });

  it('do not block other requests while a long one is parsed', async () => {
    const body = `${field('a', 'x'.repeat(400_000))}${field('b', 'y'.repeat(400_000))}--b--\r\n`;
    const request = typed(type, body);
    await request.bytes();
    let turns = 0;
    const count = (): void => {
      turns++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const form = await request.form();
    clearImmediate(next);
    assert.deepEqual([form.get('a')?.length, form.get('b')?.length], [400_000, 400_000]);
    assert.ok(turns >= 40, `${turns} turns`);
  });
});
