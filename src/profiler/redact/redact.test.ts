import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRedactor, type Redactor, redactedMark } from '#dump';
import { HttpRequest } from '#http';
import { BodyHead } from './body-head.js';
import { CleanWords } from './clean-words.js';
import { copyPlain } from './copy-plain.js';
import { MarkupRedactor } from './redact-markup.js';
import { type ObservedBody, takeBody, type TakenBody } from './take-body.js';
import { VisitorThreads } from './visitor-threads.js';

/** Halves of surrogate pairs among them; made faster than the library's own unit. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

const redactor = createRedactor();
const secretNames = [
  'password',
  'api_key',
  'client_secret',
  'Authorization',
  'access_token',
  'sessionId',
  'cvv',
];
const secretName = fc.constantFrom(...secretNames);
/** No text that could be met by chance. */
const secret = fc.stringMatching(/^[A-Z][a-z][0-9][A-Za-z0-9]{9,20}$/).map((text) => `c4nary${text}`);
const anyText = fc.string({ unit: anyCharacter, maxLength: 20 });

describe('a copy of plain data', () => {
  const copied = (value: unknown, limit = 10_000): unknown => copyPlain(value, redactor, limit).data;
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

  it('is the same data, and shares nothing with it', () => {
    const word = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'title');
    const value = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>(null, true, false, 'text', '', 'é', 0, -1.5, 1e300),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(word, tie('any'), { maxKeys: 3 }),
      ),
    })).any;
    fc.assert(
      fc.property(value, (given) => {
        const { data, cut } = copyPlain(given, redactor, 100_000);
        assert.deepEqual(plain(data), plain(given));
        assert.equal(cut, false);
        if (typeof given === 'object' && given !== null) assert.notEqual(data, given);
      }),
    );
  });

  it('runs nothing of what it is given', () => {
    const hostile = {
      get getter(): never {
        throw new Error('run');
      },
      proxy: new Proxy({}, { ownKeys: () => assert.fail('run'), get: () => assert.fail('run') }),
      toJSON: () => assert.fail('run'),
      call: () => assert.fail('run'),
      symbol: Symbol('s'),
      [Symbol.toPrimitive]: () => assert.fail('run'),
      big: 12n,
      none: undefined,
      left: 'here',
    };
    const list = [hostile.proxy, 1, undefined];
    Object.defineProperty(list, 1, { get: () => assert.fail('run'), enumerable: true });
    assert.deepEqual(plain(copied(hostile)), { big: '12n', left: 'here' });
    assert.deepEqual(plain(copied(list)), [null, null, null]);
    assert.equal(copied(hostile.proxy), null);
    assert.equal(
      copied(() => 1),
      null,
    );
  });

  it('names numbers that JSON has none for', () => {
    assert.deepEqual(copied([Number.NaN, Infinity, -Infinity, -0]), ['NaN', 'Infinity', '-Infinity', -0]);
  });

  it('keeps nothing under a secret name, at any depth, and no secret in a text', () => {
    fc.assert(
      fc.property(secret, secretName, anyText, fc.nat(5), (hidden, name, beside, depth) => {
        let data: unknown = {
          [name]: fc.sample(fc.constantFrom<unknown>(hidden, [hidden], { of: hidden }), 1)[0],
          url: `https://ada:${hidden}@host/?${name}=${hidden}`,
          message: `it said password=${hidden}`,
          beside,
        };
        for (let count = 0; count < depth; count++) data = count % 2 === 0 ? [data] : { inner: data };
        assert.ok(!JSON.stringify(copied(data)).includes(hidden));
      }),
    );
  });

  it('shows under a secret name what reveals nothing', () => {
    const data = { password: '', token: null, secret: true, api_key: false, session: 'x', pin: 0 };
    assert.deepEqual(plain(copied(data)), {
      password: '',
      token: null,
      secret: true,
      api_key: false,
      session: redactedMark,
      pin: redactedMark,
    });
  });

  it('is bounded in its characters, its parts and its depth, and says so', () => {
    const long = copyPlain(['x'.repeat(80), 'y'.repeat(80)], redactor, 100);
    assert.equal(long.cut, true);
    assert.ok(JSON.stringify(long.data).length < 120);
    const many = copyPlain(
      Array.from({ length: 1000 }, () => 1),
      redactor,
      800,
    );
    assert.equal(many.cut, true);
    assert.ok((many.data as unknown[]).length <= 100); // a list was given
    const keys = copyPlain(
      Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`k${at}`, 1])),
      redactor,
      800,
    );
    assert.equal(keys.cut, true);
    assert.ok(Object.keys(keys.data as object).length <= 101);
    let deep: unknown = 1;
    for (let depth = 0; depth < 30; depth++) deep = { deep };
    assert.equal(copyPlain(deep, redactor, 10_000).cut, true);
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    assert.equal(copyPlain(circle, redactor, 10_000).cut, true);
    assert.equal(copyPlain({ a: [1, 'two'] }, redactor, 100).cut, false);
  });

  it('of a list of four thousand million holes ends at once', () => {
    const list: unknown[] = [];
    list.length = 2 ** 32 - 1;
    assert.equal(copyPlain(list, redactor, 1000).cut, true);
  });

  it('keeps a key `__proto__` as a key, and has no prototype', () => {
    const data = copied(JSON.parse('{"__proto__":{"admin":1}}')) as object; // an object was given
    assert.equal(Object.getPrototypeOf(data), null);
    assert.deepEqual(Object.keys(data), ['__proto__']);
  });
});

describe('the beginning of a body', () => {
  const chunk = fc.oneof(anyText, fc.uint8Array({ maxLength: 20 }));

  it('counts every byte, and keeps no more than it may', () => {
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 8 }), fc.nat(60), (chunks, limit) => {
        const head = new BodyHead(limit);
        for (const one of chunks) head.add(one);
        const whole = Buffer.concat(chunks.map((one) => Buffer.from(one as string))); // bytes are taken as well
        const kept = head.content();
        assert.equal(head.bytes, whole.length);
        if (chunks.every((one) => typeof one === 'string')) {
          assert.ok(typeof kept === 'string' && kept.length <= limit);
          assert.ok(chunks.join('').startsWith(kept));
        } else if (whole.length <= limit) assert.deepEqual(Buffer.from(kept as Uint8Array), whole); // not all were texts
        if (chunks.every((one) => typeof one !== 'string') && chunks.length > 0)
          assert.deepEqual(Buffer.from(kept as Uint8Array), whole.subarray(0, limit)); // none was a text
      }),
    );
  });

  it('is a copy: whoever sent it may fill its memory anew', () => {
    const bytes = Buffer.from('secret? no: fine');
    const head = new BodyHead(100);
    head.add(bytes);
    bytes.fill('x');
    assert.equal(Buffer.from(head.content() as Uint8Array).toString(), 'secret? no: fine'); // bytes were given
  });

  it('that never came is an empty text', () => {
    assert.equal(new BodyHead(10).content(), '');
  });
});

describe('words that come again', () => {
  const counting = (): { looked: string[]; words: CleanWords } => {
    const looked: string[] = [];
    const text = (given: string): string => {
      looked.push(given);
      return redactor.text(given);
    };
    const watched: Redactor = { ...redactor, text };
    return { looked, words: new CleanWords(watched) };
  };

  it('are looked through once, where they are clean', () => {
    const { looked, words } = counting();
    for (let time = 0; time < 3; time++) assert.equal(words.take('select 1'), 'select 1');
    assert.deepEqual(looked, ['select 1']);
    assert.equal(words.knows('select 1'), true);
  });

  it('are looked through each time, and never kept, where a secret is in them', () => {
    const { looked, words } = counting();
    for (let time = 0; time < 3; time++) assert.match(words.take('password=hunter22'), /\[redacted\]/);
    assert.equal(looked.length, 3);
    assert.equal(words.knows('password=hunter22'), false);
  });

  it('are no more than 2,000, of no more than 500 characters', () => {
    const { looked, words } = counting();
    const long = 'a '.repeat(300);
    words.take(long);
    assert.equal(words.knows(long), false);
    for (let at = 0; at < 2000; at++) words.take(`word ${at}`);
    assert.equal(words.knows('word 0'), true);
    words.take('one more');
    assert.deepEqual([words.knows('word 0'), words.knows('one more')], [false, true]);
    assert.equal(looked.length, 2002);
  });
});

describe('a body as it is kept', () => {
  const take = (body: Partial<ObservedBody>, limit = 1000): TakenBody | null => {
    const content = body.content ?? '';
    const bytes = Buffer.byteLength(content as string); // bytes have a length too
    return takeBody({ bytes, contentType: 'text/plain', ...body, content }, { redactor, limit });
  };

  it('is none where there was none', () => {
    assert.equal(takeBody(undefined, { redactor, limit: 10 }), null);
    assert.equal(take({}), null);
    assert.equal(take({ bytes: 5 })?.cut, true);
  });

  it('as text is cut at the limit, and says so', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.integer({ min: 1, max: 50 }), (content, limit) => {
        const taken = take({ content, contentType: 'text/plain' }, limit);
        if (content === '') return assert.equal(taken, null);
        assert.equal(taken?.encoding, 'text');
        assert.equal(taken?.cut, content.length > limit);
        assert.ok(redactor.text(content) !== content || content.startsWith(taken?.content ?? '-'));
      }),
    );
  });

  it('of bytes that are text is that text, also where a character is cut through', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[aé😀ß]{1,20}$/u),
        fc.integer({ min: 1, max: 80 }),
        (content, limit) => {
          const bytes = Buffer.from(content);
          const taken = take({ content: bytes }, limit);
          if (limit < 4 && taken?.content === '') return;
          assert.equal(taken?.encoding, 'text');
          assert.ok(content.startsWith(taken?.content ?? '-'), taken?.content);
          assert.equal(taken?.cut, bytes.length > limit);
          assert.ok(bytes.length > limit || taken?.content === content);
        },
      ),
    );
  });

  it('of other bytes is their head as base64', () => {
    const bytes = Buffer.from(Array.from({ length: 6000 }, (_, at) => at % 256));
    const taken = take({ content: bytes, contentType: 'image/png' }, 10_000);
    assert.equal(taken?.encoding, 'base64');
    assert.deepEqual(Buffer.from(taken?.content ?? '', 'base64'), bytes.subarray(0, 4096));
    assert.deepEqual([taken?.cut, taken?.bytes], [true, 6000]);
    const whole = take({ content: Buffer.from([1, 0, 255, 254]), contentType: '' });
    assert.deepEqual([whole?.encoding, whole?.cut], ['base64', false]);
  });

  it('in UTF-16 is read as characters, by its type, its mark or its look', () => {
    const text = '{"password":"hunter22","name":"Ada"}';
    const little = Buffer.from(text, 'utf16le');
    const big = Buffer.from(little).swap16();
    const marked = Buffer.concat([Buffer.from([0xff, 0xfe]), little]);
    for (const [content, contentType] of [
      [little, 'application/json; charset=utf-16'],
      [little, 'application/json; charset="UTF-16LE"'],
      [big, 'application/json; charset=utf-16be'],
      [little, 'application/json'],
      [big, 'application/json'],
      [marked, 'application/json'],
    ] as const) {
      const taken = take({ content, contentType });
      assert.match(taken?.content ?? '', /"name":"Ada"/, contentType);
      assert.doesNotMatch(taken?.content ?? '', /hunter22/, contentType);
    }
  });

  it('has no secret in it, whatever it is', () => {
    const made: readonly [type: string, make: (name: string, hidden: string) => string][] = [
      [
        'application/json',
        (name, hidden) => JSON.stringify({ a: 1, [name]: hidden, b: [{ [name]: hidden }] }),
      ],
      ['text/plain', (name, hidden) => JSON.stringify([{ [name]: hidden }])],
      ['application/x-www-form-urlencoded', (name, hidden) => `a=1&${name}=${hidden}&b=2`],
      ['text/plain', (name, hidden) => `${name}=${hidden}`],
      ['', (name, hidden) => `Authorization: Bearer ${hidden}\n${name}: ${hidden}`],
      [
        'multipart/form-data; boundary=xyz',
        (name, hidden) =>
          `--xyz\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${hidden}\r\n--xyz--\r\n`,
      ],
      [
        'text/html',
        (name, hidden) =>
          `<title>t</title><input value="${hidden}" name="${name}"><input type=password value=${hidden}>`,
      ],
      [
        'text/html; charset=utf-8',
        (name, hidden) => `<style>a{}</style><meta content='${hidden}' name='${name}'>`,
      ],
      ['application/xml', (name, hidden) => `<a><${name}>${hidden}</${name}></a>`],
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...made),
        secretName,
        secret,
        fc.boolean(),
        ([type, make], name, hidden, isBytes) => {
          const content = make(name, hidden);
          const taken = take({ content: isBytes ? Buffer.from(content) : content, contentType: type });
          assert.ok(taken !== null && !taken.content.includes(hidden), `${type}: ${taken?.content}`);
        },
      ),
      { numRuns: 80 },
    );
  });

  it('says that nobody read it, and has a bounded type', () => {
    const taken = take({ content: 'a', isUnread: true, contentType: 't'.repeat(1000) });
    assert.deepEqual([taken?.isUnread, taken?.contentType.length], [true, 300]);
    assert.equal(take({ content: 'a' })?.isUnread, false);
  });

  it('of which less was seen than there was is cut', () => {
    assert.equal(take({ content: 'head', bytes: 100 })?.cut, true);
    assert.equal(take({ content: Buffer.from('head'), bytes: 100 })?.cut, true);
    assert.equal(take({ content: 'é', bytes: 2 })?.cut, false);
  });
});

describe('markup as it is kept', () => {
  it('hides values of secret fields in whatever order, case and quotes', () => {
    const markup = new MarkupRedactor(createRedactor());
    const quote = fc.constantFrom('"', "'", '');
    const tag = fc.constantFrom('input', 'INPUT', 'meta', 'button');
    const by = fc.constantFrom('name', 'id', 'property', 'NAME');
    const holder = fc.constantFrom('value', 'content', 'VALUE');
    fc.assert(
      fc.property(
        tag,
        by,
        holder,
        quote,
        secretName,
        secret,
        fc.boolean(),
        (one, name, value, q, key, hidden, isFirst) => {
          const parts = [`${name}=${q}${key}${q}`, `${value}=${q}${hidden}${q}`];
          const html = `<p>before</p><${one} class="x y" ${(isFirst ? parts.toReversed() : parts).join(' ')}><p>after</p>`;
          const clean = markup.text(html);
          assert.equal(clean, html.replace(hidden, redactedMark));
        },
      ),
    );
  });

  it('keeps everything of a page without secrets', () => {
    const html =
      '<input name="title" value="Soup"><meta name="viewport" content="width=1"><input disabled><button>go</button>';
    assert.equal(new MarkupRedactor(redactor).text(html), html);
  });

  it('is one for each redactor', () => {
    const own = createRedactor();
    assert.equal(MarkupRedactor.of(own), MarkupRedactor.of(own));
    assert.notEqual(MarkupRedactor.of(own), MarkupRedactor.of(redactor));
  });

  it('ends in time on tags that never end', () => {
    const markup = new MarkupRedactor(redactor);
    for (const html of [
      '<input '.repeat(5000),
      `<input ${'a '.repeat(20_000)}`,
      '<style'.repeat(5000),
      `<input x="${'"'.repeat(9000)}`,
    ])
      assert.equal(typeof markup.text(html), 'string');
  });
});

describe('the session of a visitor', () => {
  const request = (cookie?: string): HttpRequest =>
    new HttpRequest({
      method: 'GET',
      target: '/',
      rawHeaders: ['Host', 'a.test', ...(cookie === undefined ? [] : ['Cookie', cookie])],
      httpVersion: '1.1',
      peer: { address: '127.0.0.1', port: 1, encrypted: false },
    });

  it('is the same for the same cookie, and is not the cookie', () => {
    const threads = new VisitorThreads();
    const first = threads.visitorOf(request('sid=abc123; theme=dark'), []);
    assert.match(first ?? '', /^[0-9a-f]{16}$/);
    assert.equal(threads.visitorOf(request('theme=light; sid=abc123'), []), first);
    assert.notEqual(threads.visitorOf(request('sid=abc124'), []), first);
    assert.notEqual(threads.visitorOf(request('session=abc123'), []), first);
    assert.notEqual(new VisitorThreads().visitorOf(request('sid=abc123'), []), first);
  });

  it('is none without a cookie of a session', () => {
    const threads = new VisitorThreads();
    for (const cookie of [undefined, '', 'theme=dark', 'sid=', 'mysid=1', 'sidebar=open', 'x=session'])
      assert.equal(threads.visitorOf(request(cookie), ['Set-Cookie', 'theme=1']), null, cookie);
  });

  it('is known by names with a prefix and by those of other platforms', () => {
    const threads = new VisitorThreads();
    for (const name of [
      '__Host-session',
      '__Secure-sid',
      'connect.sid',
      'PHPSESSID',
      'JSESSIONID',
      'sessionid',
    ])
      assert.notEqual(threads.visitorOf(request(`${name}=1`), []), null, name);
  });

  it('holds over a response that changes the id, again and again', () => {
    const threads = new VisitorThreads();
    const first = threads.visitorOf(request(), ['set-cookie', 'sid=one; Path=/']);
    assert.notEqual(first, null);
    assert.equal(
      threads.visitorOf(request('sid=one'), ['Set-Cookie', 'theme=x', 'SET-COOKIE', 'sid=two']),
      first,
    );
    assert.equal(threads.visitorOf(request('sid=two'), ['Set-Cookie', 'sid=three']), first);
    assert.equal(threads.visitorOf(request('sid=three'), []), first);
    assert.notEqual(threads.visitorOf(request('sid=four'), []), first);
  });

  it('is not tied by an empty or a broken cookie', () => {
    const threads = new VisitorThreads();
    const first = threads.visitorOf(request('sid=one'), [
      'Set-Cookie',
      'sid=; Max-Age=0',
      'Set-Cookie',
      '=x',
    ]);
    assert.equal(threads.visitorOf(request('sid=one'), []), first);
    assert.equal(threads.visitorOf(request(), ['Set-Cookie']), null);
  });

  it('is forgotten after 5,000 changed ids, the oldest first', () => {
    const threads = new VisitorThreads();
    const first = threads.visitorOf(request('sid=a'), ['Set-Cookie', 'sid=b']);
    assert.equal(threads.visitorOf(request('sid=b'), []), first);
    for (let at = 0; at < 5000; at++) threads.visitorOf(request(`sid=x${at}`), ['Set-Cookie', `sid=y${at}`]);
    assert.notEqual(threads.visitorOf(request('sid=b'), []), first);
    assert.equal(threads.visitorOf(request('sid=a'), []), first);
  });
});
