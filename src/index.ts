/** The package's main entry. Other modules have their own entries: `lookback/routing`, `lookback/html` … */
export { createApp, findRouteSchemas, isErrorPreview, readConfiguration, serve } from '#framework/app';
export { Delete, Get, Patch, Post, Put, Route, routeAttribute } from '#framework/app';
export type {
  App,
  AppOptions,
  AppRoute,
  Configuration,
  Environment,
  Extension,
  Instrumentation,
  GroupApp,
  Handler,
  RouteGroup,
  RouteOptions,
  RunningServer,
} from '#framework/app';
export { createCommand } from '#core/command';
export type { Command, CommandContext, CommandDefinition, CommandOptions, CommandRun } from '#core/command';
export { annotate, defineAttribute } from '#core/attributes';
export { controllerArguments } from '#framework/controller';
export type {
  Around,
  ControllerContext,
  ControllerTarget,
  NextLayer,
  ValueResolver,
} from '#framework/controller';
export { CodedError, isCodedError } from '#core/coded-error';
export {
  BadRequestError,
  ConflictError,
  ForbiddenError,
  HttpError,
  isHttpError,
  MethodNotAllowedError,
  NotFoundError,
  UnauthorizedError,
  UnprocessableContentError,
} from '#core/errors';
export { defineEvent, type EventType, type Listener } from '#core/events';
export { HttpRequest, HttpResponse } from '#core/http';
export { requestAuthentication, requestLocale, requestRoute, requestUser } from '#core/http';
export type { CookieOptions, RequestAuthentication, RequestUser, ResponseBody } from '#core/http';
export {
  controllerArgumentsEvent,
  controllerEvent,
  exceptionEvent,
  finishRequestEvent,
  kernelListener,
  kernelPriority,
  requestEvent,
  responseEvent,
  terminateEvent,
  viewEvent,
} from '#framework/kernel';
export type { KernelListener } from '#framework/kernel';
export { createLogger, type LogHandler, type Logger, type LogLevel, type LogRecord } from '#core/log';
export { createScopeKey, currentScope, type Scope, type ScopeKey } from '#core/scope';
export { dumpValue as dump } from '#profiler';
