import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { renderFragment } from '#html';
import { HttpRequest, HttpResponse, type RequestSource } from '#http';
import { runInScope } from '#scope';
import type { ProfileNews } from '../model/profile-query.js';
import { currentLanguage } from '#phrases';
import { say } from '../words/say.js';
import { ActionForm } from './blocks/action-form.js';
import { ActiveFilters } from './list/active-filters.js';
import { parseListFilters } from './list/list-filters.js';
import { LiveSubscribers } from './live/live-subscribers.js';
import {
  addFormCookie,
  cookiesOfApplication,
  currentFormToken,
  foreignForm,
  prepareFormToken,
} from './site/form-token.js';
import { createProfilerLinks } from './site/links.js';
import { currentAddress, languageLink, preparePage } from './site/prepare-page.js';
import type { ProfileReader } from './site/profile-reader.js';
import { splitUrl } from './site/split-url.js';
import { joinRedirect, serverTiming } from './toolbar/response-fields.js';

const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));
const anyText = fc.string({ unit: anyCharacter, maxLength: 20 });
const token = 'A'.repeat(22);

function requestOf(
  headers: Readonly<Record<string, string>> = {},
  changes: Partial<RequestSource> = {},
): HttpRequest {
  return new HttpRequest({
    method: 'GET',
    target: '/_profiler/',
    rawHeaders: ['Host', 'a.test', ...Object.entries(headers).flat()],
    httpVersion: '1.1',
    peer: { address: '127.0.0.1', port: 1, encrypted: false },
    ...changes,
  });
}

describe('a form of the profiler’s pages', () => {
  const own = { origin: 'http://a.test', 'sec-fetch-site': 'same-origin', cookie: `lookback_form=${token}` };

  it('is taken from its own page alone, with the token of the browser', () => {
    assert.equal(foreignForm(requestOf(own), token), undefined);
    assert.equal(foreignForm(requestOf({ ...own, origin: 'http://a.test' }), token), undefined);
    const { origin, cookie, 'sec-fetch-site': site } = own;
    assert.equal(foreignForm(requestOf({ origin, cookie }), token), undefined);
    assert.equal(foreignForm(requestOf({ 'sec-fetch-site': site, cookie }), token), undefined);
    const refused: readonly (readonly [Readonly<Record<string, string>>, string | undefined, RegExp])[] = [
      [{ cookie }, token, /which page/],
      [{ ...own, origin: 'http://b.test' }, token, /another origin/],
      [{ ...own, origin: 'https://a.test' }, token, /another origin/],
      [{ ...own, origin: 'null' }, token, /another origin/],
      [{ ...own, 'sec-fetch-site': 'same-site' }, token, /another origin/],
      [{ ...own, 'sec-fetch-site': 'none' }, token, /another origin/],
      [{ origin }, token, /cookie of the form/],
      [{ ...own, cookie: 'lookback_form=short' }, 'short', /cookie of the form/],
      [own, undefined, /token of the form is missing/],
      [own, '', /token of the form is missing/],
      [own, `${token}A`, /token of the form is missing/],
      [own, 'B'.repeat(22), /not that of this browser/],
    ];
    for (const [headers, given, words] of refused)
      assert.match(foreignForm(requestOf(headers), given) ?? '', words, JSON.stringify(headers));
  });

  it('has no token that can be guessed: every other one is refused', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.stringMatching(/^[\w-]{22}$/)), (given) => {
        assert.equal(foreignForm(requestOf(own), given) === undefined, given === token);
      }),
    );
  });

  /** What a page with a form, or without one, sends as its cookie. */
  const cookieOf = (
    headers: Readonly<Record<string, string>>,
    changes: Partial<RequestSource> = {},
    hasForm = true,
  ): readonly [cookie: string | undefined, shown: string] => {
    const request = requestOf(headers, changes);
    return runInScope(request.scope, () => {
      prepareFormToken(request, '/_profiler');
      const shown = hasForm ? currentFormToken() : '';
      const response = new HttpResponse('');
      addFormCookie(response);
      return [response.headers.get('set-cookie'), shown] as const;
    });
  };

  it('gives the browser its cookie once, with the first form, and to no other page', () => {
    const [cookie = '', shown] = cookieOf({});
    assert.match(shown, /^[\w-]{22}$/);
    assert.ok(cookie.startsWith(`lookback_form=${shown};`), cookie);
    for (const part of [/; Path=\/_profiler(?:;|$)/, /; SameSite=Strict/, /; HttpOnly/])
      assert.match(cookie, part);
    assert.doesNotMatch(cookie, /Secure/);
    assert.notEqual(cookieOf({})[1], shown);
    assert.deepEqual(cookieOf({ cookie: `lookback_form=${token}` }), [undefined, token]);
    assert.equal(cookieOf({}, {}, false)[0], undefined);
    assert.notEqual(cookieOf({ cookie: 'lookback_form=<script>' })[1], '<script>');
    const encrypted = { address: '127.0.0.1', port: 1, encrypted: true };
    assert.match(cookieOf({}, { peer: encrypted })[0] ?? '', /; Secure/);
  });

  it('outside of a page has no token', () => {
    assert.equal(currentFormToken(), '');
  });

  it('is markup in which no value is more than a value', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (action, name, value) => {
        const hostile = `${value}"><script>`;
        const html = String(
          renderFragment(<ActionForm action={action} label={hostile} fields={{ [`f${name}`]: hostile }} />),
        );
        assert.equal(
          html.split('<').length,
          '<form><input/><input/><button></button></form>'.split('<').length,
          html,
        );
        assert.doesNotMatch(html, /<script/);
      }),
    );
  });

  it('is sent on without the profiler’s own cookies', () => {
    assert.equal(
      cookiesOfApplication('a=1; lookback_form=x;lookback_lang=de; b=lookback_form; lookback_previous=1'),
      'a=1; b=lookback_form',
    );
    assert.equal(cookiesOfApplication(''), '');
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,4}=[\w ]{0,4}[\w]$/), { maxLength: 4 }), (pairs) => {
        assert.equal(cookiesOfApplication(['lookback_form=x', ...pairs].join('; ')), pairs.join('; '));
      }),
    );
  });
});

describe('links of the profiler', () => {
  const links = createProfilerLinks('/_profiler');

  it('of any token stay where they are', () => {
    fc.assert(
      fc.property(anyText, anyText, (first, second) => {
        const isPlain = /^[0-9a-z]{1,32}$/.test(first);
        for (const href of [
          links.record(first),
          links.replay(first),
          links.mark(first),
          links.data(first, 'json'),
          links.explain(first),
          links.compare(first, second),
        ]) {
          assert.match(href, /^\/_profiler\/[0-9a-z/.-]+$/);
          assert.ok(isPlain ? href.includes(first) : href.includes('malformed'), href);
        }
      }),
    );
    assert.equal(links.compare('abc123', 'last-good'), '/_profiler/compare/abc123/last-good');
    assert.equal(links.compare('last-good', 'abc123'), '/_profiler/compare/malformed/abc123');
  });

  it('have a query of what there is, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.option(fc.string(), { nil: undefined })),
        (filters) => {
          const url = new URL(links.list(filters), 'http://a.test');
          assert.equal(url.pathname, '/_profiler/');
          const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== '');
          assert.deepEqual(Object.fromEntries(url.searchParams), Object.fromEntries(given));
          assert.equal(url.hash, '');
        },
      ),
    );
    assert.equal(links.list(), '/_profiler/');
    assert.equal(links.record('abc', { panel: 'db', at: undefined }), '/_profiler/abc?panel=db');
  });

  it('split an address in front of its query', () => {
    for (const url of ['/a?b=c', '/a', '?b', '/a?b?c']) {
      const parts: unknown = splitUrl(url);
      assert.equal(Object.values(parts as object).join(''), url); // its parts, whatever they are called
    }
  });
});

describe('the language of a page', () => {
  const languageOf = (headers: Readonly<Record<string, string>>): string => {
    const request = requestOf(headers);
    assert.equal(preparePage(request, '/_profiler'), undefined);
    return runInScope(request.scope, () => currentLanguage());
  };

  it('is what the reader chose, else the first there is of those that the browser wants', () => {
    assert.equal(languageOf({}), 'en');
    assert.equal(languageOf({ 'accept-language': 'fr-CA,de;q=0.5' }), 'fr');
    assert.equal(languageOf({ 'accept-language': 'it,de;q=0.5,fr;q=0.9' }), 'fr');
    assert.equal(languageOf({ 'accept-language': 'de;q=0,it' }), 'en');
    assert.equal(languageOf({ 'accept-language': 'toString,__proto__' }), 'en');
    assert.equal(languageOf({ 'accept-language': 'fr', cookie: 'lookback_lang=de' }), 'de');
    assert.equal(languageOf({ 'accept-language': 'fr', cookie: 'lookback_lang=constructor' }), 'fr');
  });

  it('once chosen is kept in a cookie, and the page is asked for without the choice', () => {
    const answer = preparePage(requestOf({}, { target: '/_profiler/?q=a%20b&_lang=de&x=1' }), '/_profiler');
    assert.deepEqual([answer?.status, answer?.headers.get('location')], [302, '?q=a+b&x=1']);
    const cookie = answer?.headers.get('set-cookie') ?? '';
    assert.match(cookie, /^lookback_lang=de;.*Path=\/_profiler/);
    const unknown = preparePage(
      requestOf({}, { target: '/_profiler/?_lang=xx%0d%0aSet-Cookie:a' }),
      '/_profiler',
    );
    assert.deepEqual(
      [unknown?.status, unknown?.headers.get('location'), unknown?.headers.get('set-cookie')],
      [302, '?', undefined],
    );
  });

  it('has a link to each other, with the rest of the query', () => {
    const request = requestOf(
      { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' },
      { target: '/_profiler/?q=a&page=2' },
    );
    preparePage(request, '/_profiler');
    runInScope(request.scope, () => {
      assert.equal(languageLink('fr'), '?q=a&page=2&_lang=fr');
      assert.deepEqual(currentAddress(), { query: 'q=a&page=2', isPane: true });
    });
    const foreign = requestOf({ 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'cross-site' });
    preparePage(foreign, '/_profiler');
    assert.equal(
      runInScope(foreign.scope, () => currentAddress().isPane),
      false,
    );
    assert.deepEqual(currentAddress(), { query: '', isPane: false });
  });
});

describe('a redirect and the page that it leads to', () => {
  const page = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', accept: 'text/html' };
  const join = (
    target: string,
    status: number,
    location: string | undefined,
    cookie?: string,
  ): ReturnType<typeof joinRedirect> =>
    joinRedirect(
      requestOf(cookie === undefined ? page : { ...page, cookie }, { target }),
      { status, location },
      'abcdef',
    );

  it('are joined by a cookie for that address alone, which is taken away there', () => {
    const { cookies, previous } = join('/login', 303, '/home?x=1');
    assert.equal(previous, undefined);
    assert.match(cookies[0] ?? '', /^lookback_previous=[^;]+; .*Path=\/home(?:;|$)/);
    const [pair = ''] = (cookies[0] ?? '').split(';');
    const arrived = join('/home?x=1', 200, undefined, pair);
    assert.equal(arrived.previous, 'abcdef');
    assert.match(arrived.cookies[0] ?? '', /Max-Age=0/);
    assert.deepEqual(join('/home?x=2', 200, undefined, pair), { previous: undefined, cookies: [] });
    const further = join('/home?x=1', 302, '/next', pair);
    assert.deepEqual([further.previous, further.cookies.length], ['abcdef', 2]);
  });

  it('are not joined where it leads away, nowhere, or to what no cookie can name', () => {
    for (const location of [
      'http://b.test/',
      '//b.test/x',
      'javascript:alert(1)',
      '/a;b',
      '/a,b',
      `/${'x'.repeat(1100)}`,
      'http://[',
      undefined,
    ])
      assert.deepEqual(join('/login', 302, location).cookies, [], location);
    assert.deepEqual(join('/login', 200, '/home').cookies, []);
    const call = joinRedirect(
      requestOf({ accept: 'application/json', 'sec-fetch-dest': 'empty' }),
      { status: 302, location: '/x' },
      'abcdef',
    );
    assert.deepEqual(call.cookies, []);
  });

  it('believe no cookie that somebody made up', () => {
    for (const value of ['', 'abcdef', 'NOTHEX./home', '<b>./home', 'abcdef./other', '..', 'abcdef.'])
      assert.equal(
        join('/home', 200, undefined, `lookback_previous=${encodeURIComponent(value)}`).previous,
        undefined,
        value,
      );
  });

  it('tell scripts the token and the time', () => {
    assert.match(
      serverTiming({ token: 'abcdef', startedAt: performance.now() }),
      /^lookback;dur=\d+\.\d;desc="abcdef"$/,
    );
  });
});

describe('pages that follow the list', () => {
  const rows = [{ token: 'abc' }] as unknown as ProfileNews['rows'];
  const render = (given: ProfileNews['rows']): string => JSON.stringify(given.length);
  const follow = (news: readonly (ProfileNews | undefined)[], controller = new AbortController()) => {
    let at = 0;
    const asked: (string | null)[] = [];
    const reader: Pick<ProfileReader, 'news' | 'onNews'> = {
      async news(_query, position) {
        asked.push(position);
        const found = news[at++];
        if (at > news.length) controller.abort();
        return at > news.length ? { rows: [], position: position ?? '', isGap: false } : found;
      },
      onNews: () => () => {},
    };
    const subscribers = new LiveSubscribers(reader as ProfileReader); // it asks no more
    const request = requestOf({}, { signal: controller.signal });
    return {
      subscribers,
      asked,
      request,
      stream: () => subscribers.follow(request, { query: {}, position: 'p0', render }),
    };
  };
  const read = async (stream: AsyncGenerator<string>): Promise<string[]> => {
    const all: string[] = [];
    for await (const event of stream) all.push(event);
    return all;
  };

  it('are sent the rows with the position behind them, and go on from there', async () => {
    const { stream, asked } = follow([
      { rows, position: 'p1', isGap: false },
      { rows: [], position: 'p2', isGap: false },
      { rows, position: 'p3', isGap: true },
    ]);
    const [first = '', ...events] = await read(stream());
    assert.match(first, /^:/);
    assert.deepEqual(events.slice(0, 3), [
      'id: p1\ndata: 1\n\n',
      'id: p2\n\n',
      'event: gap\nid: p3\ndata:\n\n',
    ]);
    assert.deepEqual(asked, ['p0', 'p1', 'p2', 'p3']);
  });

  it('end where the store has no news', async () => {
    const { stream, asked } = follow([undefined]);
    assert.equal((await read(stream())).length, 1);
    assert.equal(asked.length, 1);
  });

  it('are twenty at most; who leaves makes room', async () => {
    const { subscribers, stream } = follow([]);
    const open = Array.from({ length: 20 }, stream);
    for (const one of open) await one.next();
    assert.equal(subscribers.isFull, true);
    assert.deepEqual(await read(stream()), []);
    await open[0]?.return(undefined);
    assert.equal(subscribers.isFull, false);
    for (const one of open) await one.return(undefined);
  });
});

describe('filters that are on', () => {
  const links = createProfilerLinks('/_profiler');
  const chipsOf = (query: string): { words: string; href: string }[] => {
    const parsed = parseListFilters(new URLSearchParams(query), { now: 0, collected: [] });
    const html = String(renderFragment(<>{ActiveFilters({ parsed, links })}</>));
    return [...html.matchAll(/class="mono">([^<]*)<\/span><a href="([^"]*)"/g)].map(
      ([, words = '', href = '']) => ({
        words: words.replaceAll('&quot;', '"'),
        href: href.replaceAll('&amp;', '&'),
      }),
    );
  };
  const queryOf = (href: string): Record<string, string> =>
    Object.fromEntries(new URL(href, 'http://a.test').searchParams);

  it('are each taken away by their own link, and nothing else with them', () => {
    const chips = chipsOf('status=5xx&page=abc&q=route%3Aa+error%3A%22two++spaces%22+-x');
    assert.deepEqual(
      chips.map(({ words }) => words),
      ['status: 5xx', 'route:a', 'error:"two  spaces"', '-x'],
    );
    assert.deepEqual(
      chips.map(({ href }) => queryOf(href)),
      [
        { q: 'route:a error:"two  spaces" -x' },
        { status: '5xx', q: 'error:"two  spaces" -x' },
        { status: '5xx', q: 'route:a -x' },
        { status: '5xx', q: 'route:a error:"two  spaces"' },
      ],
    );
    assert.deepEqual(chipsOf('limit=50'), []);
  });
});

describe('words of the pages', () => {
  it('are said in the language of the page around them', () => {
    const request = requestOf({ 'accept-language': 'de' });
    preparePage(request, '/_profiler');
    assert.notEqual(
      runInScope(request.scope, () => say('Requests')),
      say('Requests'),
    );
  });
});
