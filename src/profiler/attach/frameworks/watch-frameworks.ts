import type { EventEmitter } from 'node:events';
import { safely } from '#core/coded-error';
import { isVersionIn, type KnownModule, LoadedModules, undoAll, type Undo } from '#core/patches';
import {
  type FrameworkPatch,
  instrumentedFrameworks,
  reportSkipped,
  watchLibraries,
} from '#profiler/instrumentation';
import type { Exchange } from '../watch/exchange.js';
import { followFastify } from './created-fastify.js';
import { appOf, createExpressWatch, watchLayers } from './express.js';
import { createCopyWatch, watchReplies, watchRoutes } from './fastify.js';
import { watchH3, watchH3Errors, watchH3Events } from './h3.js';
import { noteChosenRouters, watchHono, watchHonoRoutes } from './hono.js';
import { findKoaOf, watchKoa, watchKoaContexts } from './koa.js';
import { watchNest, watchNestErrors } from './nest.js';
import { noteMessageFacts, watchAdonis, watchHapi, watchLoopback, watchPolka } from './other-routers.js';

/** The functions that patch the files listed for each framework. */
const patches: Readonly<Record<FrameworkPatch, KnownModule['patch']>> = {
  'express layers': watchLayers,
  'koa application': watchKoa,
  'koa contexts': watchKoaContexts,
  'fastify replies': watchReplies,
  'fastify routes': watchRoutes,
  'hono router': watchHono,
  'hono routes': watchHonoRoutes,
  'h3 router': watchH3,
  'h3 events': watchH3Events,
  'h3 errors': watchH3Errors,
  'nest consumers': watchNest,
  'nest errors': watchNestErrors,
  'hapi requests': watchHapi,
  'polka router': watchPolka,
  'loopback routes': watchLoopback,
  'adonis router': watchAdonis,
};

function createLoadedModules(kind: 'modules' | 'imports'): LoadedModules {
  const known = instrumentedFrameworks.flatMap((framework) => framework[kind] ?? []);
  return new LoadedModules(
    known.map((module) => ({ ...module, patch: patches[module.patches] })),
    instrumentedFrameworks,
    reportSkipped,
  );
}

/** A watch on frameworks whose applications do not use lookback's middleware. */
export interface FrameworkWatch {
  /** Resolves when frameworks that are ECMAScript modules have been patched. */
  readonly ready: Promise<void>;
  /** Called before a server handles a request. */
  begin(exchange: Exchange, server: EventEmitter): void;
  restore: Undo;
}

/** This process's watch and its number of users: a framework's methods are replaced once for all servers. */
let shared: { readonly watch: FrameworkWatch; users: number } | undefined;

/**
 * Watches Express, Fastify, Koa, Hono, h3, Nest, Adonis, LoopBack, hapi, Polka and restify, if loaded in a supported
 * version, until the last user restores them.
 */
export function watchFrameworks(): FrameworkWatch {
  shared ??= { watch: createWatch(), users: 0 };
  const used = shared;
  used.users++;
  let isOver = false;
  return {
    ...used.watch,
    restore() {
      if (isOver) return;
      isOver = true;
      if (--used.users > 0) return;
      if (shared === used) shared = undefined;
      used.watch.restore();
    },
  };
}

function isSupported(name: string, version: string): boolean {
  const { versions = [] } = instrumentedFrameworks.find((framework) => framework.name === name) ?? {};
  return versions.some((line) => isVersionIn(version, line));
}

function createWatch(): FrameworkWatch {
  const express = createExpressWatch();
  const [loaded, imported] = [createLoadedModules('modules'), createLoadedModules('imports')];
  const fastify = createCopyWatch((version) => isSupported('fastify', version));
  const unfollow = followFastify((instance) => safely(() => fastify.watch(instance), undefined));
  let koa: Undo | undefined;
  const servers = new WeakSet<EventEmitter>();
  let seenChanges = -1; // the state of `loaded`
  let isExpressWatched = true; // a bundled Express as well, which has no version
  const look = (): void => {
    loaded.look();
    if (loaded.changes === seenChanges) return;
    seenChanges = loaded.changes;
    isExpressWatched = !loaded.isUnsupported('express');
  };
  const watchApp = (app: unknown): void => {
    if (isExpressWatched) express.watch(app);
  };
  const watchListeners = (server: EventEmitter): void => {
    for (const listener of server.listeners('request')) {
      watchApp(listener);
      // Once a bundled copy is found, its prototype is watched for all servers: tests create one for each request.
      if (koa !== undefined || loaded.has('koa')) continue;
      const found = findKoaOf(listener);
      if (found !== undefined) koa = watchKoa(found) ?? (() => undefined);
    }
  };
  return {
    ready: imported.import(process.argv[1] ?? ''),
    begin(exchange, server) {
      look();
      if (!servers.has(server)) watchListeners(server);
      servers.add(server);
      exchange.atEnd.push(() => {
        // An Express application behind a custom handler is only known after it has handled a request.
        if (exchange.app === undefined) watchApp(appOf(exchange.incoming));
        noteMessageFacts(exchange);
        noteChosenRouters(exchange);
      });
    },
    restore: undoAll([
      watchLibraries([loaded, imported]),
      () => express.restore(),
      unfollow,
      () => fastify.restore(),
      () => koa?.(),
      () => loaded.undo(),
      () => imported.undo(),
    ]),
  };
}
