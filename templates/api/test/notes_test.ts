import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { App } from 'lookback';
import { createTestClient, type TestClient } from 'lookback/testing';
import { openTestApp } from './open-test-app.ts';

interface Note {
  readonly id: number;
  readonly title: string;
  readonly text: string;
}

describe('notes', () => {
  let app: App;
  let client: TestClient;
  before(async () => {
    app = await openTestApp();
    client = createTestClient(app);
  });
  after(() => app.close());

  it('are added, found, changed and removed', async () => {
    const added = await client.post('/notes', { json: { title: ' Milk ' } }).expectStatus(201);
    const { id, title, text } = added.json<Note>();
    assert.deepEqual([title, text], ['Milk', '']);
    await client.put(`/notes/${id}`, { json: { title: 'Milk', text: 'Two bottles.' } }).expectStatus(200);
    const found = await client.get('/notes', { query: { search: 'Mi' } }).expectStatus(200);
    assert.deepEqual(
      found.json<Note[]>().map((note) => note.text),
      ['Two bottles.'],
    );
    await client.delete(`/notes/${id}`).expectStatus(204);
    await client.get(`/notes/${id}`).expectStatus(404);
  });

  it('need a title', async () => {
    const response = await client.post('/notes', { json: { title: '' } }).expectStatus(422);
    assert.equal(response.json<{ violations: { path: string }[] }>().violations[0]?.path, 'title');
  });

  it('the application reports that it is healthy', async () => {
    await client.get('/readyz').expectStatus(200);
  });
});
