import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { annotate } from '#attributes';
import { controllerRoutes } from './controller-routes.js';
import { Delete, Get, Patch, Post, Put, Route, routeAttribute } from '../app/route-attribute.js';

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
  it('has a decorator for each method', () => {
    const routes = controllerRoutes(Resource).routes.map(({ name, methods }) => [name, methods]);
    assert.deepEqual(routes.sort(), [
      ['change', ['PATCH']],
      ['resource_remove', ['DELETE']],
      ['resource_write_1', ['PUT']],
    ]);
  });

  it('reads what the class shares and what its methods declare', () => {
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
    const place = route?.place;
    assert.equal(typeof place, 'function');
    assert.deepEqual(route, { path: '/now', name: 'now', controller: NowController, place });
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
