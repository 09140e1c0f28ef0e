import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { once } from 'node:events';
import { requestDebug, requestLocale } from '#core/http';
import { createLogger, type LogRecord, requestLogger } from '#core/log';
import { runInScope, Scope } from '#core/scope';
import { type Catalogue, createCatalogue, type MessageUse, messageChannel } from './create-catalogue.js';

const catalogue = createCatalogue({
  fallback: 'en',
  messages: {
    en: {
      comments: '{count, plural, one {# comment} other {# comments}}',
      only: 'English only',
      who: 'Hi {name}',
    },
    fr: { comments: '{count, plural, one {# commentaire} other {# commentaires}}' },
  },
});

describe('createCatalogue', () => {
  it("formats plural and select in the request's locale", () => {
    const scope = new Scope();
    scope.set(requestLocale, 'fr-CA');
    assert.equal(
      runInScope(scope, () => catalogue.text('comments', { count: 0 })),
      '0 commentaire',
    );
    assert.equal(catalogue.text('comments', { count: 2 }, 'en'), '2 comments');
    assert.equal(catalogue.text('comments', { count: 1 }), '1 comment');
    assert.equal(catalogue.text('who', { name: '<b>' }), 'Hi <b>');
  });

  it('formats numbers, dates and plurals of one message each in its own style', () => {
    const styled = createCatalogue({
      fallback: 'en',
      messages: {
        en: {
          all:
            '{share, number, percent} of {sum, number}, {place, selectordinal, one {#st} other {#th}} of ' +
            '{count, plural, one {# year} other {# years}}, {day, date, ::yyyy} {day, date, ::MMMM}',
        },
      },
    });
    const day = new Date(2024, 4, 3);
    assert.equal(
      styled.text('all', { share: 0.5, sum: 0.5, place: 21, count: 21, day }),
      '50% of 0.5, 21st of 21 years, 2024 May',
    );
  });

  it('reports fallbacks and missing messages to subscribers', () => {
    const uses: MessageUse[] = [];
    const listen = (use: unknown): void => void uses.push(use as MessageUse);
    messageChannel.subscribe(listen);
    assert.equal(catalogue.text('only', {}, 'fr'), 'English only');
    const untyped: Catalogue = catalogue;
    assert.equal(untyped.text('nowhere', {}, 'fr'), 'nowhere');
    assert.equal(catalogue.text('comments', { count: 3 }, 'fr-CA'), '3 commentaires');
    messageChannel.unsubscribe(listen);
    assert.deepEqual(
      uses.map(({ key, used, state }) => [key, used, state]),
      [
        ['only', 'en', 'fallback'],
        ['nowhere', undefined, 'missing'],
        ['comments', 'fr', 'defined'],
      ],
    );
  });

  describe('a message with a missing value', () => {
    const incomplete = createCatalogue({
      fallback: 'en',
      messages: {
        en: {
          'user.hello': 'Hello {name}',
          'cart.count': '{name} has {count, plural, =0 {nothing} one {# book} other {# books by {author}}}',
          when: 'On {day, date, short}, {kind, select, a {an A of {name}} other {another}}.',
        },
      },
    });
    /** Runs a call inside a request, and returns its text and the lines it logged. */
    const inRequest = (isDebug: boolean, call: () => string): [text: string, lines: string[]] => {
      const lines: string[] = [];
      const scope = new Scope();
      const handle = ({ level, channel, message }: LogRecord): void =>
        void lines.push(`${level} ${channel} ${message}`);
      scope.set(requestLogger, createLogger({ handlers: [{ handle }] }));
      if (isDebug) scope.set(requestDebug, true);
      return [runInScope(scope, call), lines];
    };

    it('is an error with message, locale and value in debug and outside requests', () => {
      const error = {
        code: 'LOCALE_MESSAGE_VALUE',
        message: /"user\.hello" in "en" cannot be formatted: .*"name" was not provided/,
      };
      const call = (): string => incomplete.text('user.hello', {}, 'fr');
      assert.throws(call, error);
      assert.throws(() => inRequest(true, call), error);
      // JavaScript can pass values that the type forbids.
      for (const name of [undefined, null])
        assert.throws(() => incomplete.text('user.hello', { name } as never), error);
    });

    it('keeps its placeholder in production, with one line in the log', () => {
      const [text, lines] = inRequest(false, () => incomplete.text('user.hello'));
      assert.equal(text, 'Hello {name}');
      assert.equal(lines.length, 1);
      assert.match(lines[0] ?? '', /^warning locale The message "user\.hello" in "en" cannot be formatted/);
      const shown = (key: 'cart.count' | 'when', values: object): string =>
        inRequest(false, () => incomplete.text(key, values as never))[0]; // including wrong types
      assert.equal(shown('cart.count', { name: 'Ada', count: 0 }), 'Ada has nothing');
      assert.equal(shown('cart.count', { count: 1 }), '{name} has 1 book');
      assert.equal(shown('cart.count', { count: 1234 }), '{name} has 1,234 books by {author}');
      assert.equal(shown('cart.count', { author: 'Bo' }), '{name} has {count} books by Bo');
      assert.equal(shown('when', { day: new Date(Number.NaN), kind: 'a' }), 'On {day}, an A of {name}.');
      assert.equal(shown('when', { day: new Date(0) }), 'On 1/1/70, another.');
    });

    it('keeps the placeholder of a value of the wrong type, and formats a date', () => {
      const shown = (key: 'cart.count' | 'user.hello', values: unknown): string =>
        inRequest(false, () => incomplete.text(key, values as never))[0]; // what JavaScript may pass
      const unreadable = {
        get name(): never {
          throw new Error('a getter');
        },
      };
      for (const values of [null, 5, 'Ada', unreadable, { name: {} }, { name: ['Ada'] }, { name: () => 1 }]) {
        assert.equal(shown('user.hello', values), 'Hello {name}');
        assert.throws(() => incomplete.text('user.hello', values as never), { code: 'LOCALE_MESSAGE_VALUE' });
      }
      for (const count of ['many', Number.NaN, {}])
        assert.equal(
          shown('cart.count', { name: 'Ada', author: 'Bo', count }),
          'Ada has {count} books by Bo',
        );
      assert.match(shown('user.hello', { name: new Date(0) }), /^Hello Jan 1, 1970, \d+:\d\d\s[AP]M$/);
      assert.equal(shown('user.hello', Object.create({ name: 'Ada' })), 'Hello Ada');
    });

    it('uses the locale of the request if no text is passed as locale, and reports that', () => {
      const call = (): string => incomplete.text('user.hello', { name: 'Ada' }, { locale: 'fr' } as never);
      assert.throws(call, { code: 'OPTIONS_BAD_VALUE', message: /^The locale argument of text\(\)/ });
      const [text, lines] = inRequest(false, call);
      assert.deepEqual([text, lines.length], ['Hello Ada', 1]);
    });

    it('is a Node warning if production has no log, as in a job', async () => {
      const env = process.env['APP_ENV'];
      process.env['APP_ENV'] = 'prod';
      try {
        const warned = once(process, 'warning');
        assert.equal(incomplete.text('user.hello'), 'Hello {name}');
        const [warning] = (await warned) as [Error & { code?: string }]; // `emitWarning`'s event
        assert.deepEqual([warning.name, warning.code], ['LocaleWarning', 'LOCALE_MESSAGE_VALUE']);
      } finally {
        if (env === undefined) delete process.env['APP_ENV'];
        else process.env['APP_ENV'] = env;
      }
    });
  });

  it('has keys typed by the messages, in all locales', () => {
    // @ts-expect-error -- no locale has this key
    assert.equal(catalogue.text('whoo'), 'whoo');
    const messages = { en: { a: 'A' }, fr: { a: 'A', b: 'B' } } as const;
    const typed = createCatalogue({ fallback: 'en', messages });
    assert.equal(typed.text('b', {}, 'fr'), 'B');
    // @ts-expect-error -- no locale has this key
    assert.equal(typed.text('c'), 'c');
    const loaded: Record<string, Record<string, string>> = messages;
    assert.equal(
      createCatalogue({ fallback: 'en', messages: loaded }).text('c'),
      'c',
      'without known keys, any key is allowed',
    );
  });

  it('refuses an unparsable message at creation', () => {
    assert.throws(
      () => createCatalogue({ fallback: 'en', messages: { en: { broken: '{x, plural, one {a}' } } }),
      { code: 'LOCALE_BAD_MESSAGE' },
    );
  });
});
