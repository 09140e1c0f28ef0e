import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { annotate } from '#core/attributes';
import type { Around } from '#framework/controller';
import { createSourceLoader } from '#core/errors';
import { createRoutes, type Route as AddedRoute } from '#core/routing';
import type { Extension } from '../app-options.js';
import type { App } from '../app.js';
import { Delete, Get, Patch, Post, Put, Route, routeAttribute } from '../route-attribute.js';
import { createCommands } from '../install-extensions.js';
import { addRoute, controllerRoutes, createRouteMethods, RouteTarget } from './declare-routes.js';
import { createRouteTable } from './route-table.js';

const layer =
  (name: string): Around =>
  (_request, next) => {
    void name;
    return next();
  };

function declared(declare: (app: App) => void): readonly AddedRoute[] {
  const routes = createRoutes();
  const app = { ...createRouteMethods(routes, () => app) } as App; // only the part that declares routes
  declare(app);
  return routes.all();
}

const targetOf = ({ target }: AddedRoute): RouteTarget => {
  assert.ok(target instanceof RouteTarget);
  return target;
};

describe('application routes', () => {
  it("have their function's method, and every method with any", () => {
    const show = (): string => '';
    const routes = declared((app) => {
      for (const method of ['get', 'post', 'put', 'patch', 'delete', 'any'] as const)
        app[method](`/${method}`, show);
      app.any('/some', show, { methods: ['GET', 'PURGE'], name: 'some' });
    });
    assert.deepEqual(
      routes.map(({ path, methods }) => `${path} ${methods.join()}`),
      ['/get GET', '/post POST', '/put PUT', '/patch PATCH', '/delete DELETE', '/any ', '/some GET,PURGE'],
    );
    assert.ok(routes.every((route) => targetOf(route).controller === show));
  });

  it("inherit their groups' options, with the outermost layer first", () => {
    const [outer, inner, own] = [layer('outer'), layer('inner'), layer('own')];
    const [route] = declared((app) =>
      app.group({ path: '/shop', around: [outer], operation: { tags: ['shop'] } }, (shop) =>
        shop.group(
          { path: '/admin', name: 'admin_', around: [inner], operation: { summary: 'of the group' } },
          (admin) =>
            admin.get('/orders/{id}', () => '', {
              name: 'order',
              around: [own],
              operation: { summary: 'its own' },
            }),
        ),
      ),
    );
    assert.ok(route !== undefined);
    assert.deepEqual([route.path, route.name], ['/shop/admin/orders/{id}', 'admin_order']);
    assert.deepEqual(targetOf(route).around, [outer, inner, own]);
    assert.deepEqual(targetOf(route).operation, { tags: ['shop'], summary: 'its own' });
  });

  it('are excluded from descriptions if any of their groups says so', () => {
    const routes = declared((app) => {
      app.group({ operation: false }, (group) => group.get('/a', () => '', { operation: { summary: 'x' } }));
      app.get('/b', () => '', { operation: false });
      app.get('/c', () => '');
    });
    assert.deepEqual(
      routes.map((route) => targetOf(route).operation),
      [false, false, {}],
    );
  });

  it('are not added if they are refused', () => {
    const routes = createRoutes();
    const reads = { name: 'slug', routeParameter: 'slug', resolve: () => '' };
    assert.throws(
      () => addRoute(routes, { path: '/{id}', controller: () => '', arguments: [reads] as never[] }), // resolvers
      { code: 'CONTROLLER_ROUTE_PARAMETER' },
    );
    assert.throws(() => addRoute(routes, { path: '/x', controller: undefined as never }), {
      code: 'FRAMEWORK_ROUTE_WITHOUT_CONTROLLER', // bypasses the compiler
    });
    assert.deepEqual(routes.all(), []);
  });

  it('are compiled once for each collection state', () => {
    const routes = createRoutes();
    const table = createRouteTable(routes);
    const some = createRouteTable(routes, ({ path }) => path !== '/hidden');
    const first = table();
    assert.equal(table(), first);
    routes.add({ path: '/hidden' });
    assert.notEqual(table(), first);
    assert.deepEqual([table().routes.length, some().routes.length], [1, 0]);
  });
});

describe("an application's commands", () => {
  it("are its own and its extensions', its own taking precedence", async () => {
    const extensions: Extension[] = [
      { name: 'one', commands: () => [{ name: 'db:seed' }, { name: 'db:status' }] as never[] }, // only their names matter
      { name: 'two', commands: async () => [{ name: 'mail' }] as never[] }, // as above
    ];
    const app = createCommands(extensions, () => undefined as never);
    app.command('db:seed', { description: 'Our own.' }, () => undefined);
    const commands = await app.commands();
    assert.deepEqual(
      commands.map(({ name, description }) => [name, description]),
      [
        ['db:seed', 'Our own.'],
        ['db:status', undefined],
        ['mail', undefined],
      ],
    );
    assert.throws(() => app.command('db:seed', { description: '' }, () => undefined), {
      code: 'FRAMEWORK_DUPLICATE_COMMAND',
    });
  });
});

const answer = (): string => '';

function methodsOn(notesLocations: boolean): {
  app: ReturnType<typeof createRouteMethods>;
  locationOf: (name: string) => unknown;
} {
  const routes = createRoutes();
  const app: ReturnType<typeof createRouteMethods> = createRouteMethods(routes, () => app as unknown as App, {
    // only route methods are called
    notesLocations,
  });
  const locationOf = (name: string): unknown => {
    const target = routes.all().find((route) => route.name === name)?.target;
    assert.ok(target instanceof RouteTarget);
    return target.location?.(createSourceLoader());
  };
  return { app, locationOf };
}

describe('route locations', () => {
  it('are not captured unless needed', () => {
    const { app, locationOf } = methodsOn(false);
    app.get('/', answer, { name: 'home' });
    assert.equal(locationOf('home'), undefined);
  });

  it('skip the package itself, which this test belongs to', () => {
    const { app, locationOf } = methodsOn(true);
    app.get('/', answer, { name: 'home' });
    assert.equal(locationOf('home'), undefined);
  });

  it('are kept for a route given as data', () => {
    const { app, locationOf } = methodsOn(true);
    const location = () => ({ file: '/pages/about.tsx', line: 3 });
    app.route({ path: '/about', name: 'about', controller: answer, location });
    assert.deepEqual(locationOf('about'), { file: '/pages/about.tsx', line: 3 });
  });

  it('are not part of the route that routing sees', () => {
    const routes = createRoutes();
    addRoute(routes, { path: '/', name: 'home', controller: answer, location: () => undefined });
    assert.equal('location' in (routes.all()[0] ?? {}), false);
  });
});

@Route('/articles', { name: 'articles_', requirements: { id: '\\d+' } })
class ArticleController {
  @Get('/')
  list(): string {
    return 'list';
  }

  @Get('/{id}', { name: 'show' })
  @Post('/{id}/edit')
  showOrEdit(): string {
    return 'show';
  }

  helper(): string {
    return 'no route';
  }
}

@Route('/now', { name: 'now' })
class NowController {
  handle(): string {
    return 'now';
  }
}

class Resource {
  @Put('/{id}')
  @Patch('/{id}', { name: 'change' })
  write(): string {
    return 'written';
  }

  @Delete('/{id}')
  remove(): string {
    return 'gone';
  }
}

class Plain {
  list(): string {
    return 'x';
  }
}

describe('controllerRoutes', () => {
  it('has decorators for PUT, PATCH and DELETE', () => {
    const routes = controllerRoutes(Resource).routes.map(({ name, methods }) => [name, methods]);
    assert.deepEqual(routes.sort(), [
      ['change', ['PATCH']],
      ['resource_remove', ['DELETE']],
      ['resource_write_1', ['PUT']],
    ]);
  });

  it("reads the class's shared options and its methods' declarations", () => {
    const { group, routes } = controllerRoutes(ArticleController);
    assert.deepEqual(group, { path: '/articles', name: 'articles_', requirements: { id: '\\d+' } });
    assert.deepEqual(
      routes.map(({ path, name, methods, controller }) => [path, name, methods, controller]),
      [
        ['/', 'article_list', ['GET'], [ArticleController, 'list']],
        ['/{id}/edit', 'article_show_or_edit', ['POST'], [ArticleController, 'showOrEdit']],
        ['/{id}', 'show', ['GET'], [ArticleController, 'showOrEdit']],
      ],
    );
  });

  it('a class with a handle method is one route', () => {
    const [route, ...others] = controllerRoutes(NowController).routes;
    const location = route?.location;
    assert.equal(typeof location, 'function');
    assert.deepEqual(route, { path: '/now', name: 'now', controller: NowController, location });
    assert.deepEqual(others, []);
  });

  it('a declaration as data is the same as a decorator', () => {
    class AsData {
      list(): string {
        return 'x';
      }
    }
    annotate(AsData.prototype.list, routeAttribute.of({ path: '/x', methods: ['GET'] }));
    assert.deepEqual(controllerRoutes(AsData).routes, [
      { path: '/x', methods: ['GET'], name: 'as_data_list', controller: [AsData, 'list'] },
    ]);
  });

  it('a class without routes is refused', () => {
    assert.throws(() => controllerRoutes(Plain), { code: 'FRAMEWORK_NO_ROUTES_DECLARED' });
  });
});
