import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { App } from 'lookback';
import { createDemo } from '../../demo/create-demo.js';
import { type Answer, Visitor } from '../security/visitor.js';

const path = '/en/articles/reading-a-stack-trace';
const written = {
  title: 'Mine & "only" <b>mine</b>',
  body: 'The first line.\n\nThe <i>second</i> line, at length.',
};

/** The hidden fields that a browser would send with a page's form for `action`. */
function hiddenFields({ body }: Answer, action: string): Record<string, string> {
  const form = body.split('<form').find((one) => one.includes(`action="${action}"`)) ?? '';
  const fields = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, decoded(value)]));
}

function decoded(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

function textarea({ body }: Answer): string {
  return decoded(/<textarea[^>]*>([^<]*)<\/textarea>/.exec(body)?.[1] ?? '');
}

describe('a text sent after its session has ended', () => {
  let app: App;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lookback-kept-'));
    const variables = { APP_ENV: 'test', PROFILER_STORE: 'off', DEMO_FOLDER: folder };
    app = await createDemo({ variables, logHandlers: [] });
  });
  after(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });

  const logIn = async (visitor: Visitor, more: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    visitor.post('/en/login', { form: { ...more, _username: 'editor', _password: 'editor' } });
  /** A visitor who opened the form and was logged out in another window. */
  const openForm = async (article = path): Promise<{ visitor: Visitor; hidden: Record<string, string> }> => {
    const visitor = new Visitor(app);
    assert.equal((await logIn(visitor)).status, 302);
    const hidden = hiddenFields(await visitor.get(`${article}/edit`), `${article}/edit`);
    assert.ok('basis' in hidden);
    assert.equal((await visitor.post('/en/logout')).status, 302);
    return { visitor, hidden };
  };

  it('is restored after the login, even after a failed one, and can be saved from there', async () => {
    const { visitor, hidden } = await openForm();
    const asked = await visitor.post(`${path}/edit`, {
      form: { ...hidden, ...written, _password: 'secret one' },
    });
    assert.equal(asked.status, 403);
    assert.match(asked.body, /Log in, and your text will be back/);
    assert.doesNotMatch(asked.body, /secret one/);
    assert.equal(asked.setCookies.length, 0, 'no session starts for an anonymous visitor');

    const carried = hiddenFields(asked, '/en/login');
    const wrong = await visitor.post('/en/login', {
      form: { ...carried, _username: 'editor', _password: 'not this' },
    });
    assert.equal(wrong.status, 422);
    assert.match(wrong.body, /The name or the password is wrong/);
    assert.match(wrong.body, /name="_username"[^>]* value="editor"/);
    assert.doesNotMatch(wrong.body, /not this/);

    const login = await logIn(visitor, hiddenFields(wrong, '/en/login'));
    assert.deepEqual([login.status, login.location], [302, `${path}/edit`]);
    const form = await visitor.get(`${path}/edit`);
    assert.match(form.body, /role="status">Here is your text again\. It has not been saved yet\./);
    assert.ok(form.body.includes('value="Mine &amp; &quot;only&quot; &lt;b>mine&lt;/b>"'));
    assert.equal(textarea(form), written.body);
    assert.notEqual(textarea(await visitor.get(`${path}/edit`)), written.body, 'once');

    const saved = await visitor.post(`${path}/edit`, {
      form: { ...hiddenFields(form, `${path}/edit`), ...written },
    });
    assert.deepEqual([saved.status, saved.location], [303, '/en/articles/mine-only-b-mine-b']);
    const old = await visitor.get(path);
    assert.deepEqual([old.status, old.location], [301, saved.location]);
  });

  it('still never overwrites another text unseen', async () => {
    const article = '/en/articles/two-windows-two-languages';
    const { visitor, hidden } = await openForm(article);
    const text = { title: 'Two windows, two languages', body: 'Written while the session ended.' };
    const asked = await visitor.post(`${article}/edit`, { form: { ...hidden, ...text } });
    const other = new Visitor(app);
    await logIn(other);
    const theirs = { ...hidden, title: 'Faster', body: 'Somebody was faster.' };
    const first = await other.post(`${article}/edit`, { form: theirs });
    assert.equal(first.location, '/en/articles/faster');
    // The URL has changed meanwhile too: the form is found by its former one.
    assert.equal((await logIn(visitor, hiddenFields(asked, '/en/login'))).location, `${article}/edit`);
    const form = await visitor.get(`${article}/edit`);
    assert.equal(textarea(form), text.body);
    const action = '/en/articles/faster/edit';
    const conflict = await visitor.post(action, { form: { ...hiddenFields(form, action), ...text } });
    assert.equal(conflict.status, 409);
    assert.match(conflict.body, /Written while the session ended\./);
  });

  it('is restored for a refused comment too', async () => {
    const article = '/en/articles/one-question-instead-of-forty';
    const visitor = new Visitor(app);
    const asked = await visitor.post(`${article}/comments`, { form: { text: 'What I\nwanted to say' } });
    assert.equal(asked.status, 403);
    const login = await logIn(visitor, hiddenFields(asked, '/en/login'));
    assert.equal(login.location, article);
    assert.equal(textarea(await visitor.get(article)), 'What I\nwanted to say');
  });

  it('is not accepted from another site, from a program, for another page, or beyond a limit', async () => {
    const article = '/en/articles/a-record-for-every-request';
    const { visitor, hidden } = await openForm(article);
    const form = { ...hidden, ...written };
    const foreign = await visitor.post(`${article}/edit`, {
      form,
      headers: { 'Sec-Fetch-Site': 'cross-site' },
      site: undefined,
    });
    assert.equal(foreign.status, 403);
    assert.doesNotMatch(foreign.body, /name="kept_/);
    const program = await new Visitor(app).post(`${article}/edit`, { form, site: undefined });
    assert.deepEqual([program.status, program.location], [302, '/en/login']);

    const long = await visitor.post(`${article}/edit`, { form: { ...form, body: 'long '.repeat(10_001) } });
    assert.equal(long.status, 403);
    assert.match(long.body, /too long to keep here/);
    assert.doesNotMatch(long.body, /name="kept_/);

    for (const target of ['/admin', '//evil.example/en/articles/x/edit', 'https://evil.example', '']) {
      const other = new Visitor(app);
      const carried = { _target_path: target, kept_title: 'x', kept_body: 'a body', kept_article: '1' };
      const failed = await other.post('/en/login', {
        form: { ...carried, _username: 'editor', _password: 'no' },
      });
      assert.doesNotMatch(failed.body, /name="kept_/, target);
      const { location } = await logIn(other, carried);
      assert.equal(location, target === '/admin' ? '/admin' : '/en', target);
    }
    const reader = new Visitor(app);
    await reader.post('/en/login', { form: { _username: 'reader', _password: 'reader' } });
    assert.equal((await reader.post(`${article}/edit`, { form })).status, 403);
    assert.doesNotMatch(
      (await reader.post(`${article}/edit`, { form })).body,
      /name="kept_/,
      'logging in would not help',
    );
  });
});
