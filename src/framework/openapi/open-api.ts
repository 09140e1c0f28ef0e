import { attributesOf, annotate, type AttributeType, defineAttribute } from '#core/attributes';
import { defineErrorCodes, type ErrorCodes } from '#core/coded-error';
import {
  anObject,
  callable,
  checkOptions,
  checkValue,
  listOf,
  objectWith,
  type OptionsSchema,
  optionsSchema,
  type OptionTypes,
  required,
  text,
} from '#core/options';
import {
  controllerArguments,
  controllerFunction,
  type ControllerTarget,
  currentRequest,
} from '#framework/controller';
import { type HttpRequest, HttpResponse } from '#core/http';
import type { Logger } from '#core/log';
import type { Route, RouteCollection } from '#core/routing';
import type { RouteAccess } from '#framework/security';
import { createSchemaBook, type JsonSchemaOf } from './create-schema-book.js';
import { describeOperation, problemSchemas } from './describe-operation.js';
import { type DescribedRoute, type PathTemplate, pathTemplates, routeFacts } from './described-route.js';
import type {
  OpenApiDocument,
  OpenApiInfo,
  OpenApiOperation,
  OpenApiResponse,
  OpenApiServer,
} from './open-api-document.js';

/** The parts of an application that the description reads. */
export interface DescribedApp {
  readonly routes: RouteCollection;
  readonly log: Logger;
  readonly configuration?: { readonly basePath: string };
}

export interface OpenApiOptions extends DescriptionOptions {
  /** Returns the application, which is created after its extensions. */
  readonly app: () => DescribedApp;
  /** The document's path. Default `/openapi.json`. */
  readonly path?: string;
}

/** An extension for `createApp({ extensions: [openApi({ … })] })`. */
export interface OpenApi {
  readonly name: 'openapi';
  readonly routes: readonly OpenApiRoute[];
  /** Returns the document for the current routes, and the parts that could not be described. */
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
  checkOptions('openApi()', options, openApiSchema);
  const { app: findApp, path = '/openapi.json', ...description } = options;
  let generated: { readonly version: number; readonly described: DescribedApplication } | undefined;
  const describe = (): DescribedApplication => {
    const app: DescribedApp | undefined = findApp();
    if (app === undefined) throw openApiErrors.create('OPENAPI_NO_APP', {});
    const { routes, log, configuration } = app;
    if (generated?.version !== routes.version) {
      const servers = description.servers ?? serversBelow(configuration?.basePath ?? '');
      const described = createOpenApiDocument(routes, {
        ...description,
        ...(servers === undefined ? {} : { servers }),
      });
      generated = { version: routes.version, described };
      for (const problem of generated.described.problems) log.channel('openapi').warning(problem);
    }
    return generated.described;
  };
  const serve = (request: HttpRequest): HttpResponse => {
    const { document } = describe();
    const servers = description.servers ?? serversBelow(request.basePath);
    return HttpResponse.json(servers === undefined ? document : { ...document, servers });
  };
  const controller = annotate(serve, documentSource.of(describe), controllerArguments.of([currentRequest()]));
  return {
    name: 'openapi',
    routes: [{ name: '_openapi', path, methods: ['GET'], controller, operation: false }],
    describe,
  };
}

/** An application's server with a base path; undefined, which means `/`, for all others. */
function serversBelow(basePath: string): readonly OpenApiServer[] | undefined {
  return basePath === '' ? undefined : [{ url: basePath }];
}

/** Returns the routes' document, from their `openApi` extension, or from `fallback` without access rules. */
export function describeRoutes(routes: RouteCollection, fallback: DescriptionOptions): DescribedApplication {
  checkValue('describeRoutes()', 'routes', routes, routesWithAll);
  for (const route of routes.all()) {
    const target = controllerFunction(routeFacts(route).controller);
    const [describe] = target === undefined ? [] : attributesOf(documentSource, target);
    if (describe !== undefined) return describe();
  }
  return createOpenApiDocument(routes, fallback);
}

/** A route as data, for `createApp`. */
export interface OpenApiRoute extends Pick<Route, 'name' | 'path' | 'methods'> {
  readonly controller: ControllerTarget;
  readonly operation: false;
}

export interface DescriptionOptions {
  readonly info: OpenApiInfo;
  /** Default: the application's base path, if it has one. */
  readonly servers?: readonly OpenApiServer[];
  /** The application's `createSecurity(…)`: who may send which requests, and how clients authenticate. */
  readonly security?: { accessOf(request: HttpRequest, controller: unknown): RouteAccess };
  /**
   * The routes to describe. Default: all routes whose name does not begin with `_`; never those with `operation:
   * false`.
   */
  readonly include?: (route: Route) => boolean;
  /** Returns the JSON Schema for a schema whose library cannot generate it. */
  readonly jsonSchemaOf?: JsonSchemaOf;
}

const descriptionTypes: OptionTypes<DescriptionOptions> = {
  info: required(anObject()),
  servers: listOf(anObject()),
  security: objectWith('a Security', 'accessOf'),
  include: callable(),
  jsonSchemaOf: callable(),
};

export const descriptionSchema: OptionsSchema<DescriptionOptions> =
  optionsSchema<DescriptionOptions>(descriptionTypes);

export const openApiSchema: OptionsSchema<OpenApiOptions> = optionsSchema<OpenApiOptions>({
  ...descriptionTypes,
  app: required(callable()),
  path: text,
});

/** A document, and the parts of the application that could not be described. */
export interface DescribedApplication {
  readonly document: OpenApiDocument;
  readonly problems: readonly string[];
}

const routesWithAll = objectWith<Pick<RouteCollection, 'all'>>(
  'a RouteCollection, such as app.routes',
  'all',
);

/** Methods that a Path Item may have in OpenAPI 3.1. */
const knownMethods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'];

/**
 * Creates the OpenAPI 3.1 document for some routes: paths, methods, requirements and hosts from routing, controllers' inputs and outputs
 * from their schemas, access from firewalls, access rules and `isGranted`, and every error's problem document. Never throws for a schema
 * that cannot be described, but lists it in `problems`.
 */
export function createOpenApiDocument(
  routes: Pick<RouteCollection, 'all'>,
  options: DescriptionOptions,
): DescribedApplication {
  checkValue('createOpenApiDocument()', 'routes', routes, routesWithAll);
  checkOptions('createOpenApiDocument()', options, descriptionSchema);
  const problems: string[] = [];
  const onProblem = (problem: string): void => {
    if (!problems.includes(problem)) problems.push(problem);
  };
  const book = createSchemaBook({ shared: problemSchemas, jsonSchemaOf: options.jsonSchemaOf, onProblem });
  const responses: Record<string, OpenApiResponse> = {};
  const securitySchemes: Record<string, unknown> = {};
  const { security } = options;
  const accessOf = security === undefined ? undefined : security.accessOf.bind(security);
  const parts = { book, accessOf, onProblem, responses, securitySchemes };
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  const all = describedRoutes(routes, options, onProblem);
  // Responses are added first, so that they get the plain name if a schema's input and output differ.
  for (const { schemas, id } of all) {
    if (schemas?.response !== undefined)
      book.add(schemas.response, { direction: 'output', name: `${id}.response` });
  }
  for (const described of all) {
    const item = (paths[described.template.path] ??= {});
    item[described.method.toLowerCase()] = describeOperation(described, parts);
  }
  const document = {
    openapi: '3.1.1' as const,
    info: options.info,
    ...(options.servers === undefined ? {} : { servers: options.servers }),
    paths,
    components: {
      schemas: book.components,
      responses,
      ...(Object.keys(securitySchemes).length === 0 ? {} : { securitySchemes }),
    },
  };
  return { document, problems };
}

/** Returns the operations in route order. If paths differ only in variables, the first one's names are used. */
function describedRoutes(
  routes: Pick<RouteCollection, 'all'>,
  { include = (route) => !route.name.startsWith('_') }: DescriptionOptions,
  onProblem: (problem: string) => void,
): readonly DescribedRoute[] {
  const found: DescribedRoute[] = [];
  const templates = new Map<string, PathTemplate>(); // keyed by path without variable names
  const owners = new Map<string, string>(); // method and path → route
  const ids = new Set<string>();
  for (const route of routes.all()) {
    const { operation, ...facts } = routeFacts(route);
    if (operation === false || !include(route)) continue;
    const methods = methodsOf(route, facts.schemas);
    for (const { own, method } of pathTemplates(route).flatMap((own) =>
      methods.map((method) => ({ own, method })),
    )) {
      const shape = own.path.replaceAll(/\{[^{}]*\}/g, '{}');
      const template = { ...(templates.get(shape) ?? own), variables: own.variables };
      const earlier = owners.get(`${method} ${shape}`);
      templates.set(shape, template);
      owners.set(`${method} ${shape}`, earlier ?? route.key);
      if (earlier === undefined) {
        const id = uniqueId(operation.operationId ?? route.key, ids);
        found.push({ ...facts, operation, route, template, method, id });
      } else {
        const what = `${earlier} already describes ${method} ${template.path}`;
        onProblem(`${route.key}: ${what}, and a document has one operation for each method of a path.`);
      }
    }
  }
  return found;
}

/** Returns the methods to describe for a route. A route for any method is described with the most likely one. */
function methodsOf({ methods }: Route, schemas: DescribedRoute['schemas']): readonly string[] {
  if (methods.length === 0) return schemas?.body === undefined ? ['GET'] : ['POST'];
  return knownMethods.filter((method) => methods.includes(method));
}

function uniqueId(wanted: string, ids: Set<string>): string {
  let id = wanted;
  for (let count = 2; ids.has(id); count++) id = `${wanted}_${count}`;
  ids.add(id);
  return id;
}

const table = {
  OPENAPI_NO_APP: {
    message: 'The OpenAPI document was requested before the application was created.',
    fix: 'Return the application from the app function that you pass to openApi().',
  },
} as const;

export const openApiErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
