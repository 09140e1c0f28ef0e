/** The top floor: `createApp` combines the kernel, the profiler and all other houses to an application. */
export { createApp } from './framework/create/create-app.js';
export type { AppOptions, Extension, Tap } from './framework/app/app-options.js';
export type { App, DeclareRoute, GroupApp, Handler, RunningServer } from './framework/app/app.js';
export { readConfiguration, type Configuration } from './framework/configuration/configuration.js';
export type { Environment } from '#profiler-setup';
export { Delete, Get, Patch, Post, Put, Route, routeAttribute } from './framework/app/route-attribute.js';
export type {
  AppRoute,
  RouteDeclaration,
  RouteGroup,
  RouteOptions,
} from './framework/app/route-attribute.js';
export { serve } from './framework/serving/serve.js';
export { findRouteSchemas } from './framework/routes/declare-routes.js';
