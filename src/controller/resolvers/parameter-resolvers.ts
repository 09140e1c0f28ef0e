import { NotFoundError } from '#errors';
import { type HttpRequest, badRequest, requestRoute } from '#http';
import { controllerErrors } from '../error-codes.js';
import { type TextConverter, toBoolean, toInteger, toNumber } from './text-converters.js';
import type { ArgumentSource, ValueResolver } from '../value-resolver.js';

/** A resolver that declares which parameter of the route it reads, so that the compiler can check that it exists. */
export interface RouteParameterResolver<Name extends string, Value> extends ValueResolver<Value> {
  readonly routeParameter: Name;
}

/**
 * A parameter of the route, as its pattern and converters return it, or converted here: 404 if the text cannot be
 * converted, because nothing exists at that address. A route without such a parameter is refused when it is registered
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
  /** Used if the parameter is missing. */
  readonly default?: Value;
  /** Returns undefined instead of 400 if the parameter is missing and has no default. */
  readonly optional?: boolean;
}

/** The first query parameter of the name: 400 if it is missing or cannot be converted. */
export function queryParameter(name: string): ValueResolver<string>;
// What is text has a signature without a type parameter: inside of `withArguments` one would be inferred from what is
// expected there, which is anything.
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
  const isRequired = options.default === undefined && options.optional !== true;
  return {
    name,
    source: { in: 'query', name, isRequired, type: typeOf(options.convert) },
    resolve(request) {
      const text = request.query.get(name);
      if (text !== null) return convertQuery(name, text, options.convert);
      if (options.default !== undefined || options.optional === true) return options.default;
      throw badQuery('CONTROLLER_QUERY_MISSING', name);
    },
  };
}

/** Every query parameter of the name, in order; an empty list if there is none. */
export function queryParameters(name: string): ValueResolver<string[]>;
export function queryParameters<Value>(name: string, convert: TextConverter<Value>): ValueResolver<Value[]>;
export function queryParameters(name: string, convert?: TextConverter<unknown>): ValueResolver<unknown[]> {
  return {
    name,
    source: { in: 'query', name, isRequired: false, type: 'array' },
    resolve: (request) => request.query.getAll(name).map((text) => convertQuery(name, text, convert)),
  };
}

/** Of the converters of this house; those of the application take text. */
function typeOf(convert: TextConverter<unknown> | undefined): NonNullable<ArgumentSource['type']> {
  if (convert === toInteger) return 'integer';
  if (convert === toNumber) return 'number';
  return convert === toBoolean ? 'boolean' : 'string';
}

function convertQuery(name: string, text: string, convert: TextConverter<unknown> | undefined): unknown {
  const value = convert === undefined ? text : convert(text);
  if (value === undefined) throw badQuery('CONTROLLER_QUERY_INVALID', name);
  return value;
}

function badQuery(code: 'CONTROLLER_QUERY_MISSING' | 'CONTROLLER_QUERY_INVALID', name: string): Error {
  return badRequest(controllerErrors.create(code, { name }));
}
