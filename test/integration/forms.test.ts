import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createApp } from 'lookback';
import { isChosen, readForm, requestBody, withArguments, withSchemas } from 'lookback/controller';
import { z } from 'zod';

const Post = z.object({
  title: z.string().min(1, 'Enter a title.'),
  tags: z.array(z.enum(['red', 'green', 'blue'], 'No such tag.')).default([]),
  agreed: z.stringbool('Agree or not.').default(false),
  count: z.coerce.number().int().optional(),
  author: z
    .object({ mail: z.enum(['0', '1']).default('0'), langs: z.array(z.string()).optional() })
    .optional(),
  items: z.array(z.object({ done: z.stringbool() })).optional(),
  file: z
    .custom<{ filename: string }>((value) => typeof value === 'object' && value !== null && 'bytes' in value)
    .optional(),
});

const app = createApp({ configuration: { profilerStore: 'off' }, logHandlers: [] });
after(() => app.close());
app.post('/read', async ({ request }) => {
  const { data, values, errors } = await readForm(request, Post);
  return { data, values, errors };
});
app.post(
  '/argument',
  withArguments([requestBody(Post)], (data) => ({ data })),
);
app.post(
  '/schemas',
  withSchemas({ body: Post }, ({ body }) => ({ data: body })),
);

interface Read {
  readonly data?: Record<string, unknown>;
  readonly values: Record<string, string | string[]>;
  readonly errors: Record<string, string>;
}

type Fields = string | readonly (readonly [string, string | File])[];

function bodyOf(fields: Fields): URLSearchParams | FormData {
  if (typeof fields === 'string') return new URLSearchParams(fields);
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return form;
}

async function send(path: string, fields: Fields): Promise<Response> {
  return app.fetch(new Request(`http://localhost${path}`, { method: 'POST', body: bodyOf(fields) }));
}

/** Reads a form in all ways, which must have the same result, and returns `readForm`'s result. */
async function read(fields: Fields): Promise<Read> {
  const found = (await (await send('/read', fields)).json()) as Read; // the route returns it
  for (const path of ['/argument', '/schemas']) {
    const answer = await send(path, fields);
    assert.equal(answer.status, found.data === undefined ? 422 : 200, `${path} ${JSON.stringify(fields)}`);
    if (found.data !== undefined) assert.deepEqual(await answer.json(), { data: found.data }, path);
  }
  return found;
}

const inParts = (fields: string): Fields => [...new URLSearchParams(fields)];
const kinds: Readonly<Record<string, (fields: string) => Fields>> = {
  'urlencoded form': (fields) => fields,
  'multipart form': inParts,
};

for (const [kind, make] of Object.entries(kinds))
  describe(`a ${kind}`, () => {
    it('keeps all choices of a group when it is shown again', async () => {
      for (const name of ['tags', 'tags[]']) {
        const chosen = ['red', 'green', 'blue'].map((tag) => `${name}=${tag}`);
        const all = await read(make(`title=&${chosen.join('&')}`));
        assert.equal(all.errors['title'], 'Enter a title.');
        assert.deepEqual(all.values, { title: '', [name]: ['red', 'green', 'blue'] });
        const one = await read(make(`title=&${chosen[1]}`));
        assert.deepEqual(
          one.values,
          { title: '', [name]: ['green'] },
          'a group with one choice is still a list',
        );
        assert.ok(
          isChosen(one, name, 'green') && !isChosen(one, name, 'red') && !isChosen(one, 'none', 'red'),
        );
        const wrong = await read(make(`title=x&${chosen[0]}&${name}=other`));
        assert.deepEqual(wrong.values[name], ['red', 'other']);
        assert.equal(wrong.errors[name], 'No such tag.');
      }
      const nested = await read(make('title=&author[langs]=en&author[langs]=de'));
      assert.deepEqual(nested.values['author[langs]'], ['en', 'de']);
    });

    it('takes the value of a checkbox instead of the hidden field before it', async () => {
      const ticked = await read(make('title=x&agreed=0&agreed=1&author[mail]=0&author[mail]=1'));
      assert.deepEqual([ticked.data?.['agreed'], ticked.data?.['author']], [true, { mail: '1' }]);
      const bare = await read(make('title=x&agreed=0&author[mail]=0'));
      assert.deepEqual([bare.data?.['agreed'], bare.data?.['author']], [false, { mail: '0' }]);
      const again = await read(make('title=&agreed=0&agreed=1'));
      assert.deepEqual(again.values, { title: '', agreed: '1' });
      assert.ok(isChosen(again, 'agreed', '1'));
      const inList = await read(make('title=x&items[0][done]=0&items[0][done]=1&items[1][done]=0'));
      assert.deepEqual(inList.data?.['items'], [{ done: true }, { done: false }]);
      assert.equal((await read(make('title=x&count=1&count=2'))).data?.['count'], 2);
    });

    it('is refused in all ways with a wrong value in a repeated field, and keeps the input', async () => {
      const wrong = await read(make('title=x&agreed=0&agreed=perhaps'));
      assert.equal(wrong.errors['agreed'], 'Agree or not.');
      assert.deepEqual(wrong.values['agreed'], ['0', 'perhaps']);
      const brackets = await read(make('title=x&agreed[]=0&agreed[]=1'));
      assert.equal(brackets.data, undefined, 'a bracketed list is not accepted as text');
    });
  });

describe('a multipart form', () => {
  const file = (name: string): File => new File([name], name);

  it('takes the file after a hidden text field with the same name, and does not take two files for one', async () => {
    const one = await read([
      ['title', 'x'],
      ['file', ''],
      ['file', file('a.txt')],
    ]);
    assert.match(JSON.stringify(one.data?.['file']), /"filename":"a.txt"/);
    const two = await read([
      ['title', 'x'],
      ['file', file('a.txt')],
      ['file', file('b.txt')],
    ]);
    assert.equal(two.data, undefined);
  });
});

describe('a query', () => {
  it('with checkboxes is read like a URL-encoded one', async () => {
    const search = createApp({ configuration: { profilerStore: 'off' }, logHandlers: [] });
    const query = z.object({ open: z.stringbool().optional(), tags: z.array(z.string()).default([]) });
    search.get(
      '/',
      withSchemas({ query }, ({ query: found }) => found),
    );
    const answer = await search.fetch('/?open=0&open=1&tags=a&tags=b');
    assert.deepEqual(await answer.json(), { open: true, tags: ['a', 'b'] });
    await search.close();
  });
});
