import { defineErrorCodes, type ErrorCodes, refuseUnknownOptions } from '#coded-error';
import { attributesOf, annotate, type AttributeType, defineAttribute } from '#attributes';
import { controllerFunction, type ControllerTarget } from '#controller';
import { HttpResponse } from '#http';
import type { Logger } from '#log';
import type { RouteCollection } from '#routing';
import {
  createOpenApiDocument,
  type DescribedApplication,
  type DescriptionOptions,
  descriptionOptionNames,
} from './create-open-api-document.js';
import { routeFacts } from './described-route.js';

/** The parts of an application that the description reads. */
export interface DescribedApp {
  readonly routes: RouteCollection;
  readonly log: Logger;
}

export interface OpenApiOptions extends DescriptionOptions {
  /** Returns the application, which is created after its extensions. */
  readonly app: () => DescribedApp;
  /** Path of the document. Default `/openapi.json`. */
  readonly path?: string;
}

/** An extension for `createApp({ extensions: [openApi({ … })] })`. */
export interface OpenApi {
  readonly name: 'openapi';
  readonly routes: readonly OpenApiRoute[];
  /** Returns the document for the current routes, and what could not be described. */
  describe(): DescribedApplication;
}

/** Marks the controller that serves the document, so that commands can find its generator. */
const documentSource: AttributeType<() => DescribedApplication> =
  defineAttribute<() => DescribedApplication>('openapi');

/**
 * Creates an extension that serves the OpenAPI 3.1 document of the application at `/openapi.json`. The document is
 * generated when it is first requested, and again after routes change. Parts that could not be described are logged as
 * warnings on the channel `openapi`.
 */
export function openApi(options: OpenApiOptions): OpenApi {
  refuseUnknownOptions('openApi()', options, 'app path', { ...descriptionOptionNames });
  const { app: findApp, path = '/openapi.json', ...description } = options;
  let generated: { readonly version: number; readonly described: DescribedApplication } | undefined;
  const describe = (): DescribedApplication => {
    const app: DescribedApp | undefined = findApp();
    if (app === undefined) throw openApiErrors.create('OPENAPI_NO_APP', {});
    const { routes, log } = app;
    if (generated?.version !== routes.version) {
      generated = { version: routes.version, described: createOpenApiDocument(routes, description) };
      for (const problem of generated.described.problems) log.channel('openapi').warning(problem);
    }
    return generated.described;
  };
  const serve = (): HttpResponse => HttpResponse.json(describe().document);
  const controller = annotate(serve, documentSource.of(describe));
  return {
    name: 'openapi',
    routes: [{ name: '_openapi', path, methods: ['GET'], controller, operation: false }],
    describe,
  };
}

/**
 * Returns the document of a collection of routes: from its `openApi` extension, otherwise with the given options and
 * without access rules.
 */
export function describeRoutes(routes: RouteCollection, fallback: DescriptionOptions): DescribedApplication {
  for (const route of routes.all()) {
    const target = controllerFunction(routeFacts(route).controller);
    const [describe] = target === undefined ? [] : attributesOf(documentSource, target);
    if (describe !== undefined) return describe();
  }
  return createOpenApiDocument(routes, fallback);
}

/** A route as data, for `createApp`. */
export interface OpenApiRoute {
  readonly name: string;
  readonly path: string;
  readonly methods: readonly string[];
  readonly controller: ControllerTarget;
  readonly operation: false;
}

const table = {
  OPENAPI_NO_APP: {
    message: 'The OpenAPI document was requested before the application was created.',
    fix: 'Return the application from the function app among the options of openApi.',
  },
} as const;

/** Errors in the description of an application. */
export const openApiErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
