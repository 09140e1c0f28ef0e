import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRedactor, redactedMark, type Redactor } from '#dump';
import { MarkupRedactor } from './redact-markup.js';

/** A redactor that notes what it was given to look through. */
function watched(): { redactor: Redactor; looked: string[] } {
  const looked: string[] = [];
  const real = createRedactor();
  const text = (given: string): string => {
    looked.push(given);
    return real.text(given);
  };
  return { redactor: { ...real, text }, looked };
}

const page = (title: string, style: string, body = ''): string =>
  `<!doctype html><title>${title}</title><style>${style}</style><body>${body}`;

describe('MarkupRedactor', () => {
  it('says what the redactor says, the first time and later', () => {
    const plain = createRedactor();
    const markup = new MarkupRedactor(createRedactor());
    const pages = [
      page('password=hunter22', '.token { color: red }', 'token: abcDEF123'),
      page('b', '.token { color: red }', '<script>const apiKey = "sk_live_123456";</script>'),
      page('c', 'a { --token: "Abc123456789" }', 'https://me:secret@host/'),
      page('d', '', '<script src="/a.js"></script><SCRIPT>token="Xyz123456"'),
      'no markup, but password=hunter22',
    ];
    for (const html of [...pages, ...pages]) assert.equal(markup.text(html), plain.text(html), html);
  });

  it('looks through a style once, wherever the page is cut', () => {
    const { redactor, looked } = watched();
    const markup = new MarkupRedactor(redactor);
    const style = '.a { color: red } '.repeat(20);
    const whole = page('one', style, 'x');
    assert.equal(markup.text(whole), whole);
    assert.ok(looked.includes(style));
    looked.length = 0;
    const cut = page('another', style).slice(0, 200);
    assert.equal(markup.text(cut), cut);
    assert.ok(looked.every((text) => !text.includes('.a {')));
  });

  it('remembers no script: what stands in one may be a visitor’s', () => {
    const { redactor, looked } = watched();
    const markup = new MarkupRedactor(redactor);
    const html = page('one', '', '<script>let name = "Ada";</script>');
    for (let time = 0; time < 2; time++) {
      looked.length = 0;
      assert.equal(markup.text(html), html);
      assert.ok(looked.some((text) => text.includes('Ada')));
    }
  });

  it('a style that was cut is no excuse for what stands behind it', () => {
    const markup = new MarkupRedactor(createRedactor());
    markup.text('<style>a { color: red } token');
    assert.match(markup.text('<style>a { color: red } token: "Abc123456789"</style>'), /\[redacted\]/);
    markup.text('<script>let token');
    assert.match(markup.text('<script>let token="Abc123456789"</script>'), /\[redacted\]/);
  });
});

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
