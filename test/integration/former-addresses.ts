import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { App } from 'lookback';
import { Visitor } from '../security/visitor.js';

const body = 'A text that is long enough for an article.';

async function logIn(app: App): Promise<Visitor> {
  const visitor = new Visitor(app);
  await visitor.post('/en/login', { form: { _username: 'editor', _password: 'editor' } });
  return visitor;
}

async function rename(editor: Visitor, path: string, title: string): Promise<string> {
  const form = (await editor.get(`${path}/edit`)).body;
  const [, basis = ''] = /name="basis" value="(\d+)"/.exec(form) ?? [];
  const saved = await editor.post(`${path}/edit`, { form: { title, body, basis } });
  assert.equal(saved.status, 303, path);
  return saved.location ?? '';
}

async function moved(visitor: Visitor, path: string): Promise<string | undefined> {
  const { status, location, header } = await visitor.get(path);
  assert.deepEqual([status, header('cache-control')?.includes('no-cache')], [301, true], path);
  return location;
}

/** URLs that articles had before their titles changed, with any database. */
export function itLeadsOnFromFormerAddresses(open: () => App): void {
  it('redirects every former URL of an article, in each language to its own URL', async () => {
    const editor = await logIn(open());
    const visitor = new Visitor(open());
    const english = '/en/articles/a-record-for-every-request';
    const french = (await visitor.get('/fr/articles/a-record-for-every-request')).location ?? '';
    assert.equal(await rename(editor, english, 'Second name'), '/en/articles/second-name');
    assert.equal(await rename(editor, '/en/articles/second-name', 'Third name'), '/en/articles/third-name');
    assert.equal(await moved(visitor, english), '/en/articles/third-name');
    assert.equal(await moved(visitor, '/en/articles/second-name'), '/en/articles/third-name');
    assert.equal(await moved(visitor, '/fr/articles/second-name'), french);
    assert.equal((await visitor.get(french)).status, 200, 'the URL in the other language is unchanged');
    assert.equal(
      (await editor.get(`${english}/edit`)).status,
      200,
      'subpages are found under the old URL too',
    );
    const again = await rename(editor, '/en/articles/third-name', 'A record for every request');
    assert.equal(again, english);
    assert.equal((await visitor.get(english)).status, 200, 'renamed back, the original URL works again');
    assert.equal(await moved(visitor, '/en/articles/third-name'), english);
  });

  it('never lets a former URL take precedence over a current one', async () => {
    const editor = await logIn(open());
    const visitor = new Visitor(open());
    const [first, second] = [
      '/en/articles/reading-a-stack-trace',
      '/en/articles/one-question-instead-of-forty',
    ];
    assert.equal(await rename(editor, first, 'Elsewhere now'), '/en/articles/elsewhere-now');
    assert.equal(await moved(visitor, first), '/en/articles/elsewhere-now');
    assert.equal(await rename(editor, second, 'Reading a stack trace'), first, 'the URL is free again');
    const present = await visitor.get(first);
    assert.equal(present.status, 200);
    assert.ok(present.body.includes(body));
    assert.equal(await moved(visitor, second), first);
    // A former URL leads to the article that had it last.
    assert.equal(await rename(editor, first, 'One question instead of forty'), second);
    assert.equal(await moved(visitor, first), second);
    assert.equal(await rename(editor, '/en/articles/elsewhere-now', 'Reading a stack trace'), first);
    assert.equal((await visitor.get(first)).status, 200);
  });
}

/** Changes a title 22 times. */
export function itKeepsFewFormerAddresses(open: () => App): void {
  it('keeps a limited number of former URLs, the latest', async () => {
    const editor = await logIn(open());
    let path = '/en/articles/elsewhere-again';
    await rename(editor, '/en/articles/two-windows-two-languages', 'Elsewhere again');
    for (let n = 0; n < 21; n++) path = await rename(editor, path, `Elsewhere ${n} times`);
    const visitor = new Visitor(open());
    assert.equal((await visitor.get('/en/articles/elsewhere-again')).status, 404);
    assert.equal((await visitor.get('/en/articles/two-windows-two-languages')).status, 404);
    assert.equal(await moved(visitor, '/en/articles/elsewhere-0-times'), path);
    assert.equal(
      await rename(editor, path, 'Two windows, two languages'),
      '/en/articles/two-windows-two-languages',
    );
  });
}
