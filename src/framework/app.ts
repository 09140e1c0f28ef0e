/** The top layer: `createApp` combines the kernel, the profiler and all other modules into an application. */
export { createApp } from './app/create-app.js';
export type { AppOptions, Extension, Instrumentation } from './app/app-options.js';
export type { App, DeclareRoute, GroupApp, Handler, RunningServer } from './app/app.js';
export type { RunCommandOptions } from './app/recording/record-command.js';
export { readConfiguration, type Configuration } from './app/configuration/configuration.js';
export type { Environment } from '#profiler/setup';
export { Delete, Get, Patch, Post, Put, Route, routeAttribute } from './app/route-attribute.js';
export type { AppRoute, RouteDeclaration, RouteGroup, RouteOptions } from './app/route-attribute.js';
export { isErrorPreview } from './app/failures/error-preview.js';
export { recordTokenOf } from './app/serving/fetch.js';
export { serve } from './app/serving/serve.js';
export { findRouteSchemas } from './app/routes/declare-routes.js';
