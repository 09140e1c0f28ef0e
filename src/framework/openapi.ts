/** An application's OpenAPI 3.1 document, generated from its routes, schemas and access rules; served, and written to a file. */
export { openApi, describeRoutes, createOpenApiDocument } from './openapi/open-api.js';
export type { DescribedApp, OpenApi, OpenApiOptions, OpenApiRoute } from './openapi/open-api.js';
export type { DescribedApplication, DescriptionOptions } from './openapi/open-api.js';
export type { JsonSchemaOf, SchemaDirection } from './openapi/create-schema-book.js';
export type {
  JsonSchema,
  OpenApiContent,
  OpenApiDocument,
  OpenApiInfo,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiPathItem,
  OpenApiResponse,
  OpenApiServer,
} from './openapi/open-api-document.js';
