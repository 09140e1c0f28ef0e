import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dump } from '#core/dump';
import type { MatchTrace } from '#core/routing';
import { badgeOf, textOf } from '../../../../test/profiler/plain-record.js';
import { routingPanel } from './panel.js';

describe('the routing panel', () => {
  const trace = {
    method: 'GET',
    path: '/blogg',
    scheme: 'http',
    host: 'a.test',
    outcome: 'miss',
    rows: [
      { level: 'almost', name: 'blog', path: '/blog', reason: 'a letter more' },
      { level: 'no', name: 'home', path: '/', reason: 'other path' },
    ],
    nearMisses: [{ name: 'blog', path: '/blog' }],
    omitted: 7,
  } as unknown as MatchTrace; // the part that is shown
  const route = {
    name: 'blog',
    path: '/blog/{slug}',
    parameters: [{ name: 'slug', value: dump('soup') }],
    trace: null,
    allow: [],
  };

  it('says that routing was not reached, and shows the route alone if no trace was taken', () => {
    assert.equal(badgeOf(routingPanel, {}), undefined);
    assert.match(textOf(routingPanel, {}), /Routing was not reached/);
    const text = textOf(routingPanel, { route });
    assert.match(text, /`blog`[^]*\{slug\}: `"?'?soup/);
    assert.doesNotMatch(text, /trace|How the route was found/);
  });

  it('lists for a miss similar routes, the allowed methods, and how many routes were not tried', () => {
    const text = textOf(routingPanel, { route: { ...route, name: null, trace } });
    assert.match(
      text,
      /No route has this path[^]*Did you mean[^]*`\/blog`[^]*almost[^]*The path of 7 further routes did not match/,
    );
    const other = textOf(routingPanel, { route: { ...route, name: null, allow: ['POST', 'PUT'] } });
    assert.match(other, /with other methods only: POST, PUT/);
  });

  it('names the function that responded, and its location', () => {
    const controller = {
      name: 'show',
      file: '/srv/a.ts',
      line: null,
      arguments: [{ name: 'slug', value: dump(5) }],
    };
    const text = textOf(routingPanel, { route, controller });
    assert.match(text, /`show`[^]*`\/srv\/a\.ts`[^]*Argument slug: `5`/);
  });
});
