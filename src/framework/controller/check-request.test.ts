import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isHttpError } from '#core/errors';
import { fromWebRequest, HttpResponse, requestRoute, type HttpRequest } from '#core/http';
import { createLogger } from '#core/log';
import { checkedContext, checkResult } from './check-request.js';
import { ControllerContext } from './controller-context.js';
import { controllerFunction } from './controller-target.js';
import { requireRouteParameters, resolveController } from './resolve-controller.js';
import { routeSchemas, type RouteSchemas, withSchemas } from './route-schemas.js';
import { type SchemaIssue, type StandardSchema, ValidationError } from './validation-error.js';

/** A schema defined by a function that returns the value or the issues. */
function schema<Output>(
  validate: (value: unknown) => Output | readonly SchemaIssue[],
): StandardSchema<Output> {
  return {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) => {
        const made = validate(value);
        return Array.isArray(made) ? { issues: made as SchemaIssue[] } : { value: made as Output }; // distinguished by its shape
      },
    },
  };
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** A record with one numeric field. */
const numbered = (name: string): StandardSchema<Record<string, number>> =>
  schema<Record<string, number>>((value) => {
    const number = Number(fieldOf(value, name));
    return Number.isNaN(number) ? [{ message: 'must be a number', path: [name] }] : { [name]: number };
  });

const services = { log: createLogger({ handlers: [] }), generateUrl: (): string => '/' };
const context = {
  name: 'context',
  resolve: (request: HttpRequest): ControllerContext => new ControllerContext(request, services),
};

function ask(
  path: string,
  init: RequestInit = {},
  parameters: Readonly<Record<string, unknown>> = {},
): HttpRequest {
  const request = fromWebRequest(new Request(`http://shop.example${path}`, init));
  request.scope.set(requestRoute, { name: 'order', path: '/order/{id}', parameters });
  return request;
}

async function check(schemas: RouteSchemas, request: HttpRequest): Promise<ControllerContext<unknown>> {
  return (await checkedContext(schemas, context).resolve(request)) as ControllerContext<unknown>; // the type that the resolver declares
}

const json = (body: unknown): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'Content-Type': 'application/json' },
});

describe('a request validated by schemas', () => {
  it("is passed as the schemas' outputs, and unchanged without a schema", async () => {
    const request = ask('/order/7?page=2', json({ amount: '3' }), { id: '7' });
    const schemas = { params: numbered('id'), query: numbered('page'), body: numbered('amount') };
    const checked = await check(schemas, request);
    assert.deepEqual(checked.params, { id: 7 });
    assert.deepEqual(checked.query, { page: 2 });
    assert.deepEqual(Reflect.get(checked, 'body'), { amount: 3 });
    assert.equal(checked.log, services.log);
    const plain = await check(
      { body: numbered('amount') },
      ask('/order/7?page=2', json({ amount: 1 }), { id: '7' }),
    );
    assert.deepEqual({ ...Object(plain.params) }, { id: '7' });
    assert.equal(plain.query.get('page'), '2');
  });

  it('is a 404 if its route parameters are invalid, whatever else is wrong', async () => {
    const schemas = { params: numbered('id'), query: numbered('page') };
    await assert.rejects(check(schemas, ask('/order/x', {}, { id: 'x' })), (error) => {
      assert.ok(isHttpError(error) && error.status === 404);
      assert.equal(error.message, 'path id: must be a number');
      return true;
    });
  });

  it('is refused with all violations of its other parts, each with its path', async () => {
    const schemas = { query: numbered('page'), headers: numbered('x-count'), body: numbered('amount') };
    await assert.rejects(check(schemas, ask('/?page=x', json({ amount: 'x' }))), (error) => {
      assert.ok(error instanceof ValidationError);
      assert.deepEqual(
        error.violations.map(({ in: part, path }) => [part, path]),
        [
          ['query', 'page'],
          ['header', 'x-count'],
          ['body', 'amount'],
        ],
      );
      assert.equal(error.status, 422);
      return true;
    });
  });

  it('without a body is reported as missing the body, not as invalid', async () => {
    await assert.rejects(check({ body: numbered('amount') }, ask('/', { method: 'POST' })), { status: 400 });
    const optional = schema((value) => (value === undefined ? 'nothing' : 'something'));
    const checked = await check({ body: optional }, ask('/', { method: 'POST' }));
    assert.equal(Reflect.get(checked, 'body'), 'nothing');
    const form = { method: 'POST', body: new URLSearchParams({ amount: '5' }) };
    assert.deepEqual(Reflect.get(await check({ body: numbered('amount') }, ask('/', form)), 'body'), {
      amount: 5,
    });
    await assert.rejects(check({ body: optional }, ask('/', { method: 'POST', body: 'x' })), { status: 415 });
  });

  it('treats prototype names as ordinary names', async () => {
    const seen: unknown[] = [];
    const any = schema((value) => {
      seen.push(value);
      return 1;
    });
    await check(
      { headers: any, params: any },
      ask('/', { headers: { constructor: 'x' } }, { __proto__: null, id: '1' }),
    );
    assert.deepEqual(
      seen.map((value) => Object.keys(Object(value)).includes('constructor')),
      [false, true],
    );
  });
});

describe('a result that a schema looks at', () => {
  it("is sent as the schema's output, with the declared status", async () => {
    const response = numbered('count');
    const checked = await checkResult({ response, status: 201 }, { count: '3', secret: 'x' }, 'show');
    assert.ok(checked instanceof HttpResponse);
    assert.deepEqual([checked.status, checked.body], [201, '{"count":3}']);
    await assert.rejects(checkResult({ response }, { count: 'x' }, 'show'), {
      code: 'CONTROLLER_RESPONSE_INVALID',
      message: /show.*count: must be a number/,
    });
  });

  it('is unchanged if it is a response, or if there is no schema', async () => {
    const own = HttpResponse.text('x');
    assert.equal(await checkResult({ response: numbered('count') }, own, 'show'), own);
    assert.equal(await checkResult({}, 'text', 'show'), 'text');
    const empty = await checkResult({ status: 204 }, undefined, 'show');
    assert.ok(empty instanceof HttpResponse && empty.status === 204 && empty.body === null);
    const web = new Response('x');
    assert.equal(await checkResult({ response: numbered('count') }, web, 'show'), web);
    const declared = await checkResult({ status: 201 }, { id: 1 }, 'show');
    assert.ok(declared instanceof HttpResponse && declared.status === 201 && declared.body === '{"id":1}');
    const usual = await checkResult({ response: numbered('count') }, { count: 1 }, 'show');
    assert.ok(usual instanceof HttpResponse && usual.status === 200);
  });

  it('cannot have a schema with a status without content, and is then not sent', async () => {
    for (const status of [204, 205, 304])
      assert.throws(() => withSchemas({ response: schema(() => ({ id: 1 })), status }, () => ({ id: 1 })), {
        code: 'CONTROLLER_RESPONSE_WITHOUT_CONTENT',
        message: new RegExp(`status ${status}`),
      });
    for (const status of [0, 199, 600, 204.5, Number.NaN, '204'])
      assert.throws(() => withSchemas({ status: status as number }, () => undefined), {
        code: 'CONTROLLER_BAD_STATUS',
      });
    for (const nothing of [undefined, null]) {
      const response = await checkResult({ status: 204 }, nothing, 'remove');
      assert.ok(response instanceof HttpResponse);
      assert.deepEqual([response.status, response.body, [...response.headers]], [204, null, []]);
    }
    for (const lost of [{ id: 1 }, 'gone', 0, false])
      await assert.rejects(checkResult({ status: 204 }, lost, 'remove'), {
        code: 'CONTROLLER_CONTENT_LOST',
        message: /remove returned an? (?:object|string|number|boolean), but its status 204/,
      });
  });

  it('is reported with at most 20 of its issues', async () => {
    const wrong = schema(() => Array.from({ length: 25 }, (_, at) => ({ message: `no ${at}` })));
    await assert.rejects(checkResult({ response: wrong }, 1, 'show'), (error: Error) => {
      assert.ok(error.message.includes('no 19') && !error.message.includes('no 20'));
      return true;
    });
  });
});

describe('violations', () => {
  it('have paths in JavaScript syntax, and are at most a hundred', () => {
    const error = new ValidationError([
      { message: 'must be text', path: ['items', 0, { key: 'title' }] },
      { message: 'is wrong' },
      { message: 'is odd', path: [Symbol('s')] },
      { path: 'given', message: 'as it is', code: 'own', in: 'query' },
    ]);
    assert.deepEqual(error.message.split('\n'), [
      'items[0].title: must be text',
      'is wrong',
      'Symbol(s): is odd',
      'query given: as it is',
    ]);
    assert.deepEqual([error.name, Object.keys(error).includes('name')], ['ValidationError', false]);
    const many = new ValidationError(Array.from({ length: 250 }, (_, at) => ({ message: String(at) })));
    assert.equal(many.violations.length, 100);
  });

  it("have the library's code", () => {
    const issues = [
      { message: 'a', code: 'too_small' },
      { message: 'b', type: 'min_length' },
      { message: 'c', code: 5 },
    ];
    assert.deepEqual(
      new ValidationError(issues).violations.map(({ code }) => code),
      ['too_small', 'min_length', 'invalid'],
    );
  });
});

describe("a target's function", () => {
  class Shop {
    handle(): string {
      return 'shop';
    }
    show(): string {
      return 'show';
    }
  }
  const options = { route: 'shop', context, instantiate: (Owner: new () => object): object => new Owner() };

  it('is found for functions, classes and their methods', () => {
    const plain = (): string => 'plain';
    assert.equal(controllerFunction(plain), plain);
    assert.equal(controllerFunction(Shop), Shop.prototype.handle);
    assert.equal(controllerFunction([Shop, 'show']), Shop.prototype.show);
    for (const other of [[Shop, 'missing'], [Shop, 'constructor'], [Shop], class {}, 'text', null, {}])
      assert.equal(controllerFunction(other), undefined);
  });

  it('is called on its instance, with a readable name', () => {
    assert.deepEqual(
      [() => 'plain', Shop, [Shop, 'show']].map((target) => {
        const { name, call } = resolveController(target, options as never); // the instances are made here
        return [name, call()];
      }),
      [
        ['shop', 'plain'],
        ['Shop.handle', 'shop'],
        ['Shop.show', 'show'],
      ],
    );
    for (const [target, code] of [
      ['text', 'CONTROLLER_NOT_CALLABLE'],
      [null, 'CONTROLLER_NOT_CALLABLE'],
      [[Shop, 'SHOW'], 'CONTROLLER_NO_METHOD'],
    ] as const)
      assert.throws(() => resolveController(target, options as never), { code }); // see above
    const fix = /^Use one of its methods: .*show/;
    assert.throws(() => resolveController([Shop, 'SHOW'], options as never), { fix }); // see above
  });

  it('requires the parameters that its schema or its arguments read', () => {
    const route = { name: 'order', variables: ['id'], defaults: { _locale: 'en' } };
    const reads = (name: string): object => ({ name, routeParameter: name, resolve: () => '' });
    requireRouteParameters(route, () => '', { arguments: [reads('id'), reads('_locale')] as never[] }); // resolvers
    assert.throws(() => requireRouteParameters(route, () => '', { arguments: [reads('slug')] as never[] }), {
      code: 'CONTROLLER_ROUTE_PARAMETER', // resolvers, as above
    });
    requireRouteParameters(
      route,
      withSchemas({ params: numbered('id') }, () => ''),
    );
    assert.throws(
      () =>
        requireRouteParameters(
          route,
          withSchemas({ params: numbered('slug') }, () => ''),
        ),
      {
        code: 'CONTROLLER_ROUTE_PARAMETER',
      },
    );
    class Declared {
      @routeSchemas.on({ params: numbered('slug') })
      handle(): string {
        return '';
      }
    }
    assert.throws(() => requireRouteParameters(route, Declared), { code: 'CONTROLLER_ROUTE_PARAMETER' });
  });
});
