// Each router: build(routes) returns find(method, path), which returns a truthy match with the variables.
import createFindMyWay from 'find-my-way';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { TrieRouter } from 'hono/router/trie-router';
import { Memoirist } from 'memoirist';
import * as rou3 from 'rou3';
import { compileRoutes, createRoutes, matchRoute } from '../../dist/src/core/routing.js';

const colons = (path) => path.replace(/\{(\w+)\}/g, ':$1');

export const routers = {
  lookback(routes) {
    const compiled = compileRoutes(
      createRoutes(routes.map(({ method, path }, index) => ({ name: `r${index}`, path, methods: [method] }))),
    );
    return (method, path) => matchRoute(compiled, { method, path });
  },
  memoirist(routes) {
    const router = new Memoirist();
    routes.forEach(({ method, path }, index) => router.add(method, colons(path), index));
    return (method, path) => router.find(method, path);
  },
  'find-my-way'(routes) {
    const router = createFindMyWay();
    for (const { method, path } of routes) router.on(method, colons(path), () => {});
    return (method, path) => router.find(method, path);
  },
  rou3(routes) {
    const router = rou3.createRouter();
    routes.forEach(({ method, path }, index) => rou3.addRoute(router, method, colons(path), index));
    return (method, path) => rou3.findRoute(router, method, path);
  },
  'hono RegExpRouter'(routes) {
    const router = new RegExpRouter();
    routes.forEach(({ method, path }, index) => router.add(method, colons(path), index));
    return (method, path) => router.match(method, path);
  },
  'hono TrieRouter'(routes) {
    const router = new TrieRouter();
    routes.forEach(({ method, path }, index) => router.add(method, colons(path), index));
    return (method, path) => router.match(method, path);
  },
};

/** A router's result: the variables' values in order, or undefined for a miss. */
export function readAnswer(name, answer) {
  if (name === 'lookback') return answer.kind === 'match' ? Object.values(answer.parameters) : undefined;
  if (name.startsWith('hono')) {
    const handler = answer[0][0];
    if (handler === undefined) return undefined;
    const places = Object.values(handler[1]);
    return answer[1] === undefined ? places : places.map((place) => answer[1][place]);
  }
  return answer ? Object.values(answer.params ?? {}) : undefined;
}
