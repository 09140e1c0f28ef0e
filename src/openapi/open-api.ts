import { attributesOf, annotate, defineAttribute } from '#attributes';
import type { AttributeType } from '#attributes';
import { controllerFunction } from '#controller';
import { HttpResponse } from '#http';
import type { KernelListener } from '#kernel';
import type { Logger } from '#log';
import type { RouteCollection } from '#routing';
import type { DescribedApplication, DescriptionOptions } from './create-open-api-document.js';
import { createOpenApiDocument } from './create-open-api-document.js';
import { openApiErrors } from './error-codes.js';
import { routeFacts } from './described-route.js';
import type { OpenApiRoute } from './open-api-route.js';
import { viewerRoutes } from './viewer-routes.js';

/** What is looked at of an application. */
export interface DescribedApp {
  readonly routes: RouteCollection;
  readonly log: Logger;
  readonly configuration: { readonly debug: boolean };
}

export interface OpenApiOptions extends DescriptionOptions {
  /** The application, which is made later than its extensions. */
  readonly app: () => DescribedApp;
  /** Where the document is served. Default `/openapi.json`. */
  readonly path?: string;
  /**
   * Where the document is shown as a page, by the package swagger-ui-dist; in debug only. Default `/docs`; false
   * leaves it out.
   */
  readonly viewer?: string | false;
}

/** An extension for `createApp({ extensions: [openApi({ … })] })`. */
export interface OpenApi {
  readonly name: 'openapi';
  readonly listeners: readonly KernelListener[];
  readonly routes: readonly OpenApiRoute[];
  /** The document as the application is now, and what could not be described. */
  describe(): Promise<DescribedApplication>;
}

/** Marks the controller that serves the document, so that commands find how it is made. */
const documentSource: AttributeType<() => Promise<DescribedApplication>> =
  defineAttribute<() => Promise<DescribedApplication>>('openapi');

/**
 * Serves the OpenAPI 3.1 document of the application at `/openapi.json`, and in debug a page that shows it. The
 * document is made when it is first requested, and again after routes have changed. What could not be described is
 * logged as a warning on the channel `openapi`.
 */
export function openApi(options: OpenApiOptions): OpenApi {
  const { path = '/openapi.json', viewer = '/docs' } = options;
  let made: { readonly version: number; readonly described: Promise<DescribedApplication> } | undefined;
  const appOf = (): DescribedApp => {
    const app: DescribedApp | undefined = options.app();
    if (app === undefined) throw openApiErrors.create('OPENAPI_NO_APP', {});
    return app;
  };
  const describe = (): Promise<DescribedApplication> => {
    const { routes, log } = appOf();
    if (made?.version !== routes.version) {
      made = { version: routes.version, described: createOpenApiDocument(routes, options) };
      void made.described.then(({ problems }) => {
        for (const problem of problems) log.channel('openapi').warning(problem);
      });
    }
    return made.described;
  };
  const serve = async (): Promise<HttpResponse> => HttpResponse.json((await describe()).document);
  const controller = annotate(serve, documentSource.of(describe));
  const isShown = (): boolean => appOf().configuration.debug;
  return {
    name: 'openapi',
    listeners: [],
    routes: [
      { name: '_openapi', path, methods: ['GET'], controller, operation: false },
      ...(viewer === false
        ? []
        : viewerRoutes({ path: viewer, document: path, title: options.info.title, isShown })),
    ],
    describe,
  };
}

/**
 * The document of a collection of routes: as its `openApi` extension makes it, else with the given options and nothing
 * said about access.
 */
export async function describeRoutes(
  routes: RouteCollection,
  fallback: DescriptionOptions,
): Promise<DescribedApplication> {
  for (const route of routes.all()) {
    const target = controllerFunction(routeFacts(route).controller);
    const [describe] = target === undefined ? [] : attributesOf(documentSource, target);
    if (describe !== undefined) return describe();
  }
  return createOpenApiDocument(routes, fallback);
}
