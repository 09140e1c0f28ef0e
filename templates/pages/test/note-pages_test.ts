import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { App } from 'lookback';
import { createTestClient, type TestClient } from 'lookback/testing';
import { openTestApp } from './open-test-app.ts';

describe('note pages', () => {
  let app: App;
  let client: TestClient;
  before(async () => {
    app = await openTestApp();
    client = createTestClient(app, { headers: { Accept: 'text/html' } });
  });
  after(() => app.close());

  it('a note is added, and its content is shown as text, never as markup', async () => {
    const added = await client
      .post('/', { form: { title: '<Milk>', text: 'Two bottles.' } })
      .expectStatus(303);
    const shown = await client.get(added.headers.get('location') ?? '').expectStatus(200);
    assert.match(shown.text, /<h1>&lt;Milk&gt;<\/h1>/);
    assert.match(shown.text, /Two bottles\./);
    assert.match((await client.get('/')).text, /<a href="\/notes\/\d+">&lt;Milk&gt;<\/a>/);
  });

  it('a note without a title is refused with a reason, and the input is kept', async () => {
    const refused = await client
      .post('/', { form: { title: ' ', text: 'Two <bottles>.' } })
      .expectStatus(422);
    assert.match(refused.text, /needs a title/);
    assert.match(refused.text, />Two &lt;bottles&gt;\.<\/textarea>/);
  });

  it('a missing note returns 404', async () => {
    await client.get('/notes/999').expectStatus(404);
  });

  it('the application reports that it is healthy', async () => {
    await client.get('/readyz').expectStatus(200);
  });
});
