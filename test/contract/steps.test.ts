import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { listenersOf, recordOf } from './record-client.js';
import { isOurServer, sharedService } from './service.js';
import type { Service } from './service.js';
import { ask, header } from './wire-client.js';

describe('steps on each request, over the wire', () => {
  let service: Service;
  before(async () => {
    service = await sharedService();
  });

  it('K1, K2: the record shows the stages in order, with their listeners by priority', async () => {
    const record = await recordOf(service.url, await ask(service.url, '/en'));
    const stages = record.events.map(({ event }) => event);
    const expected = ['request', 'controller', 'controller_arguments', 'response', 'finish_request'];
    assert.deepEqual(
      stages.filter((stage) => expected.includes(stage)),
      expected,
    );
    const prioritiesOf = new Map(
      record.events.map(({ event, listeners }) => [event, listeners.map(({ priority }) => priority)]),
    );
    for (const stage of ['request', 'controller_arguments', 'response'])
      assert.ok(new Set(prioritiesOf.get(stage)).size > 1, `${stage} has listeners to put in order`);
    for (const stage of record.events) {
      const priorities = stage.listeners.map(({ priority }) => priority);
      assert.deepEqual(
        priorities,
        [...priorities].sort((a, b) => b - a),
        stage.event,
      );
    }
    const miss = await recordOf(service.url, await ask(service.url, '/no/such/page'));
    assert.deepEqual(
      miss.events.map(({ event }) => event).filter((event) => event !== 'terminate'),
      ['request', 'exception', 'response', 'finish_request'],
    );
  });

  it('K3, K5, K7, K8: the request steps run in order, for misses, bad requests and the profiler too', async () => {
    for (const path of ['/', '/en', '/no/such/page', '/_profiler/', '/%zz']) {
      const record = await recordOf(service.url, await ask(service.url, path));
      const called = listenersOf(record, 'request');
      const steps = [
        /persistence before/,
        /router/,
        /^locale$/,
        /locale rewrite/,
        /persistence after/,
        /firewall/,
      ];
      const locations = steps.map((step) => called.findIndex((name) => step.test(name)));
      assert.ok(
        locations.every((index) => index !== -1),
        `${path}: ${called.join(', ')}`,
      );
      assert.deepEqual(
        locations,
        [...locations].sort((a, b) => a - b),
        `${path}: ${called.join(', ')}`,
      );
      assert.equal(record.request.locale, 'en', path);
    }
  });

  it("K9: a controller's access restriction is checked once its arguments are resolved, and sends anonymous visitors to the login", async () => {
    const record = await recordOf(service.url, await ask(service.url, '/en'));
    assert.ok(listenersOf(record, 'controller_arguments').some((name) => /is.granted/.test(name)));
    const list = await ask(service.url, '/en/articles');
    const [, path = ''] = /href="(\/en\/articles\/[a-z0-9-]+)"/.exec(list.body) ?? [];
    assert.notEqual(path, '');
    assert.equal((await ask(service.url, path)).status, 200, 'anyone can read an article');
    for (const restricted of [`${path}/edit`, `${path}/history`, `${path}/discuss`]) {
      const refused = await ask(service.url, restricted, { headers: { Accept: 'text/html' } });
      assert.equal(refused.status, 302, restricted);
      assert.match(header(refused, 'location') ?? '', /\/en\/login/, restricted);
      const { route, events } = await recordOf(service.url, refused);
      assert.match(route?.name ?? '', /^article_/, restricted);
      assert.ok(
        events.some(({ event }) => event === 'controller_arguments'),
        `${restricted} was refused before its arguments`,
      );
    }
  });

  it('K10: robots are disallowed on every kind of response', async () => {
    const expectRobots = async (path: string, status: number, method = 'GET'): Promise<void> => {
      const response = await ask(service.url, path, { method });
      assert.equal(response.status, status, path);
      assert.equal(header(response, 'x-robots-tag'), 'noindex', path);
    };
    await expectRobots('/', 302);
    await expectRobots('/en', 200);
    await expectRobots('/no/such/page', 404);
    await expectRobots('/en/articles/', 301);
    await expectRobots('/api/articles', 401);
    await expectRobots('/_profiler/', 200);
    await expectRobots('/_profiler/toolbar.js', 200);
    await expectRobots('/_profiler/ffffff', 404);
    await expectRobots('/_profiler/abc123', 405, 'DELETE');
    await expectRobots('/_profiler/abc123', 405, 'OPTIONS');
    if (isOurServer) await expectRobots('*', 204, 'OPTIONS'); // other runtimes turn the asterisk into a path
    await expectRobots('/%zz', 400);
  });

  it('K11: a remember-me step runs on every response', async () => {
    for (const path of [
      '/',
      '/en',
      '/no/such/page',
      '/_profiler/',
      '/%zz',
      '/en/articles/',
      '/api/articles',
    ]) {
      const record = await recordOf(service.url, await ask(service.url, path));
      assert.ok(
        listenersOf(record, 'response').some((name) => /remember/.test(name)),
        path,
      );
    }
  });
});
