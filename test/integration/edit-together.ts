import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { App } from 'lookback';
import { type Answer, Visitor } from '../security/visitor.js';

const english = '/en/articles/two-windows-two-languages';
const german = '/de/articles/zwei-fenster-zwei-sprachen';

/** Opens a page's form; `save` sends its hidden fields with new texts. */
async function openForm(
  visitor: Visitor,
  path: string,
): Promise<{ save(text: Readonly<Record<string, string>>): Promise<Answer> }> {
  const { status, body } = await visitor.get(`${path}/edit`);
  assert.equal(status, 200);
  return { save: (text) => visitor.post(`${path}/edit`, { form: { ...hiddenFields(body), ...text } }) };
}

function hiddenFields(page: string): Record<string, string> {
  const fields = [...page.matchAll(/type="hidden" name="(article|basis)" value="(\d+)"/g)];
  assert.equal(fields.length, 2, 'one form');
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
}

/** People who edit one article at the same time, with any database. */
export function itIsEditedTogether(open: () => App): void {
  const logIn = async (): Promise<Visitor> => {
    const visitor = new Visitor(open());
    await visitor.post('/en/login', { form: { _username: 'editor', _password: 'editor' } });
    return visitor;
  };

  it('keeps both texts in one language, and never overwrites one unseen with the other', async () => {
    const [ada, bob] = [await logIn(), await logIn()];
    const [first, second] = [await openForm(ada, english), await openForm(bob, english)];
    const saved = await first.save({
      title: 'Ada was here',
      body: 'The first sentence stays. Ada wrote this.',
    });
    assert.deepEqual([saved.status, saved.location], [303, '/en/articles/ada-was-here']);

    const mine = { title: 'Bob <b>was</b> here', body: 'The first sentence stays. Bob wrote that.' };
    const conflict = await second.save(mine);
    assert.equal(conflict.status, 409);
    assert.match(conflict.body, /editor saved a different text while you were writing/);
    assert.match(conflict.body, /<mark>Ada was here<\/mark>/);
    assert.match(conflict.body, /The first sentence stays\. <mark>Ada wrote this\.<\/mark>/);
    assert.match(conflict.body, /value="Bob &lt;b>was&lt;\/b> here"/);
    assert.match(conflict.body, />The first sentence stays\. Bob wrote that\.<\/textarea>/);
    assert.equal((await ada.get('/en/articles/ada-was-here')).status, 200, 'nothing was written');

    const merged = { title: 'Ada and Bob were here', body: 'Ada wrote this. Bob wrote that.' };
    const form = { ...hiddenFields(conflict.body), ...merged };
    const answer = await bob.post('/en/articles/ada-was-here/edit', { form });
    assert.equal(answer.location, '/en/articles/ada-and-bob-were-here');
    const history = (await bob.get('/en/articles/ada-and-bob-were-here/history')).body;
    for (const words of ['Ada wrote this. Bob wrote that.', 'The first sentence stays. Ada wrote this.'])
      assert.ok(history.includes(words), words);
    await (
      await openForm(ada, '/en/articles/ada-and-bob-were-here')
    ).save({
      title: 'Two windows, two languages',
      body: 'As it was before, more or less.',
    });
  });

  it('accepts one of several simultaneous saves, and answers the others with a conflict', async () => {
    const visitor = await logIn();
    const forms = await Promise.all(Array.from({ length: 5 }, () => openForm(visitor, english)));
    const answers = await Promise.all(
      forms.map((form, n) =>
        form.save({ title: 'Two windows, two languages', body: `The text of window ${n}.` }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
    assert.deepEqual(statuses, [303, 409, 409, 409, 409]);
    const winner = answers.findIndex(({ status }) => status === 303);
    assert.match((await visitor.get(english)).body, new RegExp(`The text of window ${winner}\\.`));
  });

  it('edits another language at the same time without a conflict', async () => {
    const [ada, bob] = [await logIn(), await logIn()];
    const [first, second] = [await openForm(ada, english), await openForm(bob, german)];
    const texts = [
      { title: 'Two windows, two languages', body: 'The English text, changed.' },
      { title: 'Zwei Fenster, zwei Sprachen', body: 'Der deutsche Text, geändert.' },
    ] as const;
    const answers = await Promise.all([first.save(texts[0]), second.save(texts[1])]);
    assert.deepEqual([answers[0].location, answers[1].location], [english, german]);
    assert.match((await ada.get(english)).body, /The English text, changed\./);
    assert.match((await ada.get(german)).body, /Der deutsche Text, geändert\./);
  });

  it('accepts the same text twice, and creates no version of an unchanged one', async () => {
    const visitor = await logIn();
    const versions = async (): Promise<number> =>
      (await visitor.get(`${english}/history`)).body.split('<h2>').length;
    const form = await openForm(visitor, english);
    const text = { title: 'Two windows, two languages', body: 'First line.\r\n\r\nSecond line.' };
    assert.equal((await form.save(text)).location, english);
    const before = await versions();
    assert.equal((await form.save(text)).location, english, 'saving twice');
    assert.equal((await (await openForm(visitor, english)).save(text)).location, english);
    assert.equal(await versions(), before);
  });
}
