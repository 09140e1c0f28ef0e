import {
  anything,
  callable,
  checkOptions,
  checkValue,
  filledText,
  flag,
  listOf,
  oneOf,
  type OptionsSchema,
  optionsSchema,
  text,
} from '#core/options';
import { NotFoundError } from '#core/errors';
import { badRequest, type FormBody, type HttpRequest, requestRoute } from '#core/http';
import { controllerErrors } from './error-codes.js';
import { type ContentKind, requireContent } from './read-content.js';
import type { ValueResolver } from './resolve-arguments.js';
import { type StandardSchema, standardSchema, validateValue } from './validation-error.js';

/** A resolver that declares its route parameter, so that the compiler can check that the route has it. */
export interface RouteParameterResolver<Name extends string, Value> extends ValueResolver<Value> {
  readonly routeParameter: Name;
}

/**
 * Resolves a route parameter, as converted by the route or by `convert`. Throws 404 if the text cannot be converted,
 * because nothing exists at that path. A route without such a parameter is refused when it is registered
 * (`CONTROLLER_ROUTE_PARAMETER`), and by the compiler if its path is a literal.
 */
export function routeParameter<const Name extends string>(name: Name): RouteParameterResolver<Name, string>;
export function routeParameter<const Name extends string, Value>(
  name: Name,
  convert: TextConverter<Value>,
): RouteParameterResolver<Name, Value>;
export function routeParameter(
  name: string,
  convert?: TextConverter<unknown>,
): RouteParameterResolver<string, unknown> {
  checkName('routeParameter()', name);
  if (convert !== undefined) checkValue('routeParameter()', 'convert', convert, callable());
  return {
    name,
    routeParameter: name,
    resolve(request) {
      const value = rawParameter(request, name);
      if (convert === undefined || typeof value !== 'string') return value;
      const converted = convert(value);
      if (converted !== undefined) return converted;
      const cause = controllerErrors.create('CONTROLLER_PARAMETER_INVALID', {
        name,
        value: value.slice(0, 200),
      });
      throw new NotFoundError(cause.message, { cause });
    },
  };
}

function rawParameter(request: HttpRequest, name: string): unknown {
  const route = request.scope.get(requestRoute);
  if (route !== undefined && Object.hasOwn(route.parameters, name)) return route.parameters[name];
  throw controllerErrors.create('CONTROLLER_ROUTE_PARAMETER', {
    name,
    route: route?.name ?? '(none matched)',
    names: Object.keys(route?.parameters ?? {}).join(', ') || '(none)',
  });
}

export interface QueryOptions<Value> {
  readonly convert?: TextConverter<Value>;
  /** Value for a missing parameter. */
  readonly default?: Value;
  /** True to resolve a missing parameter without a default as undefined, instead of throwing 400. */
  readonly optional?: boolean;
}

export const queryParameterSchema: OptionsSchema<QueryOptions<unknown>> = optionsSchema<
  QueryOptions<unknown>
>({
  convert: callable(),
  default: anything(),
  optional: flag,
});

/** Resolves the first query parameter with this name. Throws 400 if it is missing or cannot be converted. */
export function queryParameter(name: string): ValueResolver<string>;
// The overloads for strings have no type parameter: in a call of `withArguments` the compiler would infer it from the
// expected type, which is `unknown`.
export function queryParameter(
  name: string,
  options: QueryOptions<string> & { readonly convert?: undefined; readonly optional: true },
): ValueResolver<string | undefined>;
export function queryParameter(
  name: string,
  options: QueryOptions<string> & { readonly convert?: undefined; readonly optional?: false },
): ValueResolver<string>;
export function queryParameter<Value>(
  name: string,
  options: QueryOptions<Value> & { readonly convert: TextConverter<Value>; readonly optional: true },
): ValueResolver<Value | undefined>;
export function queryParameter<Value>(
  name: string,
  options: QueryOptions<Value> & { readonly convert: TextConverter<Value>; readonly optional?: false },
): ValueResolver<Value>;
export function queryParameter(name: string, options: QueryOptions<unknown> = {}): ValueResolver {
  checkName('queryParameter()', name);
  checkOptions(`queryParameter("${name}")`, options, queryParameterSchema);
  return {
    name,
    resolve(request) {
      const text = request.query.get(name);
      if (text === null) {
        if (options.default !== undefined || options.optional === true) return options.default;
        throw badRequest(controllerErrors.create('CONTROLLER_QUERY_MISSING', { name }));
      }
      const value = options.convert === undefined ? text : options.convert(text);
      if (value !== undefined) return value;
      throw badRequest(controllerErrors.create('CONTROLLER_QUERY_INVALID', { name }));
    },
  };
}

function checkName(location: string, name: unknown): void {
  checkValue(location, 'name', name, filledText);
}

/** Resolves the request itself. */
export function currentRequest(): ValueResolver<HttpRequest> {
  return { name: 'request', resolve: (request) => request };
}

/** Resolves a header's value; undefined if it was not sent. */
export function headerValue(name: string): ValueResolver<string | undefined> {
  checkName('headerValue()', name);
  return { name, resolve: (request) => request.headers.get(name) };
}

/** Resolves a cookie's value; undefined if it was not sent. */
export function cookieValue(name: string): ValueResolver<string | undefined> {
  checkName('cookieValue()', name);
  return { name, resolve: (request) => request.cookies.get(name) };
}

export interface BodyOptions {
  /** Name of the argument in errors. Default `body`. */
  readonly name?: string;
  /** Accepted kinds of content. Default: both. */
  readonly kinds?: readonly ContentKind[];
}

export const requestBodySchema: OptionsSchema<BodyOptions> = optionsSchema<BodyOptions>({
  name: text,
  kinds: listOf(oneOf('json', 'form')),
});

/** Resolves the body, JSON or a form, as a schema's output. Throws 422 with the violations, 400 or 415. */
export function requestBody<Output>(
  schema: StandardSchema<Output>,
  options: BodyOptions = {},
): ValueResolver<Output> {
  checkValue('requestBody()', 'schema', schema, standardSchema);
  checkOptions('requestBody()', options, requestBodySchema);
  return {
    name: options.name ?? 'body',
    resolve: async (request) => validateValue(schema, await requireContent(request, options.kinds), 'body'),
  };
}

/** Resolves the form with its fields and files. Throws 415 if the body is not a form. */
export function formBody(): ValueResolver<FormBody> {
  return { name: 'form', resolve: (request) => request.form() };
}

/** Converts text from a request to a value; returns undefined for invalid text. */
export type TextConverter<Value> = (text: string) => Value | undefined;

/** Converts decimal digits with an optional minus sign; undefined outside the safe integers. */
export function toInteger(text: string): number | undefined {
  const value = /^-?\d{1,16}$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Converts `1`, `true`, `on`, `yes` and `0`, `false`, `off`, `no`; ignores case. */
export function toBoolean(text: string): boolean | undefined {
  if (/^(?:1|true|on|yes)$/i.test(text)) return true;
  return /^(?:0|false|off|no)$/i.test(text) ? false : undefined;
}

/** Creates a converter that accepts only these texts. */
export function toOneOf<const Text extends string>(...texts: readonly Text[]): TextConverter<Text> {
  checkValue('toOneOf()', 'texts', texts, listOf(text));
  return (given) => texts.find((candidate) => candidate === given);
}
