import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSourceLoader } from '#errors';
import { createRoutes } from '#routing';
import type { App } from '../app/app.js';
import { addRoute, createRouteMethods } from './declare-routes.js';
import { RouteTarget } from './route-target.js';

const answer = (): string => '';

function methodsOn(notesPlaces: boolean): {
  app: ReturnType<typeof createRouteMethods>;
  placeOf: (name: string) => unknown;
} {
  const routes = createRoutes();
  const app: ReturnType<typeof createRouteMethods> = createRouteMethods(routes, () => app as unknown as App, {
    // only route methods are called
    notesPlaces,
  });
  const placeOf = (name: string): unknown => {
    const target = routes.all().find((route) => route.name === name)?.target;
    assert.ok(target instanceof RouteTarget);
    return target.place?.(createSourceLoader());
  };
  return { app, placeOf };
}

describe('places of routes', () => {
  it('are not noted where they are not asked for', () => {
    const { app, placeOf } = methodsOn(false);
    app.get('/', answer, { name: 'home' });
    assert.equal(placeOf('home'), undefined);
  });

  it('leave out the package itself, which this test belongs to', () => {
    const { app, placeOf } = methodsOn(true);
    app.get('/', answer, { name: 'home' });
    assert.equal(placeOf('home'), undefined);
  });

  it('a route given as data keeps the place that it brings', () => {
    const { app, placeOf } = methodsOn(true);
    const place = () => ({ file: '/pages/about.tsx', line: 3 });
    app.route({ path: '/about', name: 'about', controller: answer, place });
    assert.deepEqual(placeOf('about'), { file: '/pages/about.tsx', line: 3 });
  });

  it('is no part of the route that routing sees', () => {
    const routes = createRoutes();
    addRoute(routes, { path: '/', name: 'home', controller: answer, place: () => undefined });
    assert.equal('place' in (routes.all()[0] ?? {}), false);
  });
});
