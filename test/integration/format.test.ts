import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp, HttpResponse } from 'lookback';
import { html } from 'lookback/html';

describe('the _format parameter', () => {
  const app = createApp({ configuration: { env: 'test', profilerStore: 'off', port: 0 }, logHandlers: [] });
  const rows = 'a;b';
  app.get('/text/{name}.{_format<csv|txt|json|xml|html|other>}', () => rows);
  app.get('/tail/{name}.{_format<csv|md>?csv}', () => rows);
  app.get('/open/{name}.{_format}', () => rows);
  app.get('/fixed', () => rows, { defaults: { _format: 'ics' } });
  app.get('/option/{name}.{_format}', () => new TextEncoder().encode(rows), {
    requirements: { _format: 'csv|pdf' },
  });
  app.get('/data.{_format<json|geojson|csv>}', () => ({ a: 1 }));
  app.get('/list.{_format<jsonld|xml>}', () => [1]);
  app.get('/markup.{_format<html|xml>}', () => html`<p>${'<'}</p>`);
  app.get('/own.{_format<csv>}', () => HttpResponse.text(rows));
  app.get('/stream.{_format<csv>}', async function* () {
    yield rows;
  });
  const typeOf = async (path: string): Promise<string | null> =>
    (await app.fetch(path)).headers.get('content-type');

  it('sets the Content-Type of texts, bytes and streams if the route limits it', async () => {
    for (const [path, type] of [
      ['/text/a.csv', 'text/csv; charset=utf-8'],
      ['/text/a.txt', 'text/plain; charset=utf-8'],
      ['/text/a.json', 'application/json'],
      ['/text/a.xml', 'application/xml; charset=utf-8'],
      ['/tail/a', 'text/csv; charset=utf-8'],
      ['/tail/a.md', 'text/markdown; charset=utf-8'],
      ['/fixed', 'text/calendar; charset=utf-8'],
      ['/option/a.csv', 'text/csv; charset=utf-8'],
      ['/option/a.pdf', 'application/pdf'],
      ['/stream.csv', 'text/csv; charset=utf-8'],
    ] as const)
      assert.equal(await typeOf(path), type, path);
    assert.equal(await (await app.fetch('/text/a.csv')).text(), rows);
    const { url } = await app.listen();
    assert.equal((await fetch(`${url}/text/a.csv`)).headers.get('content-type'), 'text/csv; charset=utf-8');
    await app.close();
  });

  it('never turns text into markup, nor lets the client choose a type that the route does not list', async () => {
    for (const path of [
      '/text/a.html',
      '/text/a.other',
      '/open/a.html',
      '/open/a.xml',
      '/open/a.svg',
      '/open/a.js',
    ])
      assert.equal(await typeOf(path), 'text/plain; charset=utf-8', path);
    assert.equal(await typeOf('/markup.xml'), 'text/html; charset=utf-8', 'HTML, whatever the extension');
  });

  it('selects a JSON type for data, and changes no HttpResponse', async () => {
    assert.equal(await typeOf('/data.json'), 'application/json');
    assert.equal(await typeOf('/data.geojson'), 'application/geo+json');
    assert.equal(await typeOf('/data.csv'), 'application/json', 'data is always sent as JSON');
    assert.equal(await typeOf('/list.jsonld'), 'application/ld+json');
    assert.equal(await typeOf('/own.csv'), 'text/plain; charset=utf-8');
  });
});
