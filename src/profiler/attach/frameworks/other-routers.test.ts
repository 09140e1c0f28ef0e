import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { HttpRequest } from '#core/http';
import { createProfiler, type Profiler } from '#profiler';
import { Exchange } from '../watch/exchange.js';
import { readForeignSource } from '../watch/foreign-message.js';
import { noteController, noteRoute } from '../watch/note-facts.js';
import { watchNest } from './nest.js';
import { noteMessageFacts, watchHapi } from './other-routers.js';

let profiler: Profiler;
before(() => (profiler = createProfiler({ store: 'memory:' })));
after(() => profiler.close());

function createExchange(method = 'GET'): Exchange & { bars: number; thrown: () => string | undefined } {
  const incoming = new IncomingMessage(new Socket());
  Object.assign(incoming, {
    method,
    url: '/users/7',
    rawHeaders: ['Host', 'localhost'],
    httpVersionMajor: 1,
    httpVersion: '1.1',
  });
  const request = new HttpRequest(readForeignSource(incoming));
  const exchange = new Exchange(incoming, new ServerResponse(incoming), {
    request,
    recording: profiler.begin(request),
    settings: { bodies: false, setters: false, toolbar: false, prefix: '' },
    link: undefined,
    end: {
      over: () => undefined,
      declare: () => undefined,
      answerError: () => false,
      failed: () => undefined,
    },
  });
  const watched = Object.assign(exchange, {
    bars: 0,
    thrown: () => (exchange.recording as { exception?: { message: string } }).exception?.message, // a recording of a request
  });
  const { enter } = exchange;
  exchange.enter = (kind) => {
    watched.bars++;
    return enter.call(exchange, kind);
  };
  return watched;
}

describe('facts that routers store on the messages', () => {
  it('include the route, below its mount path, and the error', () => {
    const exchange = createExchange();
    Object.assign(exchange.incoming, { baseUrl: '/api', route: { path: '/users/:id' }, params: { id: '7' } });
    Object.assign(exchange.outgoing, { err: new Error('out of paper') });
    noteMessageFacts(exchange);
    assert.deepEqual([exchange.route?.name, exchange.route?.path], ['GET /api/users/:id', '/api/users/:id']);
    assert.equal(exchange.thrown(), 'out of paper');
  });

  it('include no route if its path matches everything, as below a framework with its own routes', () => {
    for (const path of ['*', '/*', '/**', '/*splat', '/{*all}', '(.*)']) {
      const exchange = createExchange();
      noteRoute(exchange, { method: 'GET', path }, {});
      assert.equal(exchange.route, undefined, path);
    }
    const exchange = createExchange();
    noteRoute(exchange, { method: 'GET', path: '/files/*' }, {});
    assert.equal(exchange.route?.path, '/files/*');
  });

  it('are ignored if a route is already recorded, or if they contain no route', () => {
    const exchange = createExchange();
    noteRoute(exchange, { method: 'GET', path: '/known' }, {});
    Object.assign(exchange.incoming, { route: { path: '/other' } });
    noteMessageFacts(exchange);
    assert.equal(exchange.route?.path, '/known');
    for (const route of [undefined, null, 'GET /', { path: /regular/ }, {}]) {
      const other = createExchange();
      Object.assign(other.incoming, { route });
      Object.assign(other.outgoing, { err: 'a text' });
      noteMessageFacts(other);
      assert.deepEqual([other.route, other.thrown()], [undefined, undefined]);
    }
  });
});

describe('hapi requests', () => {
  /** Shaped like hapi's own. */
  class Request {
    readonly raw: { readonly req: object };
    readonly method = 'post';
    readonly params = { id: '7' };
    route = { method: '_special', path: '/{p*}', settings: {} };
    response: unknown = null;
    constructor(req: object) {
      this.raw = { req };
    }
    _execute(route: Request['route'], response: unknown): string {
      Object.assign(this, { route, response });
      return 'answered';
    }
  }
  const restore = watchHapi(Request.prototype);
  after(() => restore?.());
  const run = (route: Request['route'], response: unknown): ReturnType<typeof createExchange> => {
    const exchange = createExchange('POST');
    assert.equal(new Request(exchange.incoming)._execute(route, response), 'answered');
    for (const fact of exchange.atEnd) fact();
    return exchange;
  };

  it('have the route, handler and error known after the response', () => {
    const settings = { handler: function addUser() {} };
    const error = Object.assign(new Error('no such user'), { output: { statusCode: 404 } });
    const exchange = run({ method: 'post', path: '/users/{id}', settings }, { _error: error });
    assert.deepEqual(
      [exchange.route?.path, exchange.controller, exchange.thrown()],
      ['/users/{id}', 'addUser', 'no such user'],
    );
  });

  it("have no route if hapi's own one responds, and are skipped if they are not watched", () => {
    const exchange = run(
      { method: '_special', path: '/{p*}', settings: {} },
      { _error: new Error('Not Found') },
    );
    assert.deepEqual([exchange.route, exchange.thrown()], [undefined, undefined]);
    assert.equal(new Request({})._execute({ method: 'get', path: '/', settings: {} }, null), 'answered');
  });
});

describe('Nest controllers', () => {
  class Interceptors {
    intercept(
      _list: unknown,
      _args: unknown,
      _instance: object,
      _callback: unknown,
      next: () => unknown,
    ): unknown {
      return next();
    }
  }
  class BookController {
    showBook(): string {
      return 'a book';
    }
  }
  const restore = watchNest(Interceptors.prototype);
  after(() => restore());
  const ask = (exchange: Exchange): unknown => {
    const { showBook } = BookController.prototype;
    Object.assign(exchange.incoming, { route: { path: '/books/:id' } });
    return new Interceptors().intercept(
      [],
      [exchange.incoming],
      new BookController(),
      showBook,
      () => 'a book',
    );
  };

  it("have one bar: their own, or the platform's if it already has their name", () => {
    const plain = createExchange();
    assert.equal(ask(plain), 'a book');
    assert.deepEqual([plain.bars, plain.route?.path], [1, '/books/:id']);
    const named = createExchange();
    noteController(named, 'BookController.showBook', undefined);
    assert.equal(ask(named), 'a book');
    assert.equal(named.bars, 0);
  });
});
