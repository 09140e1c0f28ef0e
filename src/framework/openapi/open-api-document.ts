/** A JSON Schema 2020-12 schema, OpenAPI 3.1's dialect. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The Info Object (section 4.8.2). */
export interface OpenApiInfo {
  readonly title: string;
  /** The application interface's version, not OpenAPI's. */
  readonly version: string;
  readonly summary?: string;
  readonly description?: string;
  readonly [field: string]: unknown;
}

/** A Server Object (section 4.8.5). */
export interface OpenApiServer {
  readonly url: string;
  readonly description?: string;
}

/** A Parameter Object (section 4.8.12). */
export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required?: boolean;
  readonly description?: string;
  readonly style?: string;
  readonly explode?: boolean;
  readonly schema: JsonSchema;
}

/** Bodies by media type (section 4.8.14). */
export interface OpenApiContent {
  readonly [mediaType: string]: { readonly schema?: JsonSchema };
}

/** A Response Object (section 4.8.17), or a reference to one. */
export type OpenApiResponse =
  | { readonly $ref: string }
  | { readonly description: string; readonly content?: OpenApiContent };

/** An Operation Object (section 4.8.10). */
export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: OpenApiContent };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}

/** A path's operations by lower-case method. */
export type OpenApiPathItem = Readonly<Record<string, OpenApiOperation>>;

/** An OpenAPI 3.1 document (spec.openapis.org/oas/v3.1.1). */
export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: OpenApiInfo;
  readonly servers?: readonly OpenApiServer[];
  readonly paths: Readonly<Record<string, OpenApiPathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, OpenApiResponse>>;
    readonly securitySchemes?: Readonly<Record<string, unknown>>;
  };
}
