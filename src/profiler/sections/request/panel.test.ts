import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dump } from '#core/dump';
import { body, plain, shown, textOf } from '../../../../test/profiler/plain-record.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { requestPanel } from './panel.js';

describe('the request panel', () => {
  const asked = (changes: Partial<ProfileRecord['request']>): string =>
    textOf(requestPanel, { request: { ...plain.request, ...changes } });
  const answered = (changes: Partial<NonNullable<ProfileRecord['response']>>): string =>
    textOf(requestPanel, { response: plain.response && { ...plain.response, ...changes } });

  it('names the usual parts that are missing', () => {
    assert.match(asked({}), /Query parameters, Cookies, Headers: none/);
    assert.match(asked({ query: [['a', 'b']] }), /Query parameters[^]*- a: `b`[^]*Cookies, Headers: none/);
  });

  it("gives an unread body's announced length", () => {
    assert.match(asked({ headers: [['content-length', '2048']] }), /not recorded: .*\(2\.0 KiB\)/);
    assert.match(asked({ headers: [['Transfer-Encoding', 'chunked']] }), /length not announced/);
    assert.doesNotMatch(asked({ headers: [['content-length', '0']] }), /not recorded/);
    assert.doesNotMatch(asked({ headers: [['content-length', '1e9']] }), /not recorded/);
  });

  it('shows indented JSON, the beginning of a cut body, and an unread body', () => {
    const json = { ...body, contentType: 'application/json', content: '{"a":[1,2]}' };
    assert.match(asked({ body: json }), /```\n\{\n {2}"a": \[/);
    assert.match(
      asked({ body: { ...json, cut: true, bytes: 9000 } }),
      /not parsed: only its beginning[^]*the beginning of 8\.8 KiB/,
    );
    assert.match(asked({ body: { ...json, isUnread: true } }), /Not read by the controller/);
    assert.match(
      asked({ body: { ...body, encoding: 'base64', contentType: '' } }),
      /no content type, 4 B, as base64/,
    );
    assert.match(asked({ body: json, parsed: { format: 'json', value: dump({ a: [1] }) } }), /Read as json/);
  });

  it('says what became of the response', () => {
    assert.match(textOf(requestPanel, { response: null }), /No response was sent/);
    assert.match(
      answered({ completed: false, bodyBytes: 512 }),
      /after 512 B of the body: it got a cut response/,
    );
    assert.match(answered({ body: null }), /No body was recorded/);
    const cookies = [
      { name: 'sid', value: '1', attributes: [['Path', '/'] as const, ['HttpOnly', ''] as const] },
    ];
    assert.match(answered({ cookies }), /`sid` \| `1` \| `Path=\/; HttpOnly`/);
  });

  it('folds the header writes, and marks only remembered locations', () => {
    const location = { name: 'send', file: '/srv/app.js', line: 3, column: 1 };
    const writes = [true, undefined].map((isRemembered) => ({
      by: null,
      name: 'X-A',
      value: '1',
      location,
      isRemembered,
    }));
    const [section] = shown(requestPanel, { sections: { headers: { writes } } })
      .flatMap((block) => (block.kind === 'section' && block.title === 'Response' ? block.blocks : []))
      .filter((block) => block.kind === 'section' && block.title.startsWith('Who set'));
    assert.ok(section?.kind === 'section');
    assert.equal(section.folded, true);
    const [table] = section.blocks;
    assert.deepEqual(
      table?.kind === 'table' && table.rows.map(({ cells }) => /, as before/.test(JSON.stringify(cells))),
      [true, false],
    );
  });

  it('shows who set a header, and that it was removed', () => {
    const writes = [
      { by: null, name: 'X-A', value: '1' },
      { by: 'cors', name: 'X-A', value: null },
    ];
    assert.match(
      textOf(requestPanel, { sections: { headers: { writes } } }),
      /`X-A` \| `1` \| `the controller`[^]*`X-A` \| removed \| `cors`/,
    );
    const location = { name: 'send', file: '/srv/app.js', line: 3, column: 1 };
    const called = [
      { by: null, name: 'X-A', value: '1', location },
      { by: 'express', name: 'X-B', value: '1', location, isRemembered: true },
    ];
    assert.match(
      textOf(requestPanel, { sections: { headers: { writes: called } } }),
      /`X-A` \| `1` \| `send \(.*app\.js:3\)`[^]*app\.js:3\), through express, as before`/,
    );
    const ofPackage = { ...location, file: '/srv/node_modules/koa/lib/response.js' };
    assert.match(
      textOf(requestPanel, {
        sections: { headers: { writes: [{ by: 'koa', name: 'X-A', value: '1', location: ofPackage }] } },
      }),
      /`X-A` \| `1` \| `koa\/lib\/response\.js:3`/,
    );
    assert.doesNotMatch(textOf(requestPanel, { sections: { headers: { other: 1 } } }), /in order/);
  });

  it("names the controller's location for a header, or that of the listener that set it", () => {
    const listeners = ['cors', 'locale'].map((name, at) => ({
      name,
      location: { file: `/srv/${name}.js`, line: at + 4, column: 1 },
      priority: 0,
      durationMs: 1,
      didStop: false,
      failed: false,
    }));
    const writes = [null, 'locale', 'absent'].map((by) => ({ by, name: 'X-A', value: '1' }));
    const record = {
      sections: { headers: { writes } },
      events: [{ name: 'response', startedAt: 1000, durationMs: 1, listeners }],
    } as unknown as Partial<ProfileRecord>; // only the listeners are shown
    const controllerAt = (line: number | null): string =>
      textOf(requestPanel, {
        ...record,
        controller: { name: 'home', file: '/srv/home.js', line } as ProfileRecord['controller'], // only these fields are shown
      });
    assert.match(
      controllerAt(7),
      /`the controller \(.*home\.js:7\)`[^]*`locale \(.*locale\.js:5\)`[^]*\| `absent`/,
    );
    assert.match(controllerAt(null), /home\.js:1\)/);
  });
});
