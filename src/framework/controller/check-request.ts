import { NotFoundError, type Violation } from '#core/errors';
import {
  type HttpRequest,
  FormBody,
  isBodiless,
  isWebResponse,
  requestRoute,
  HttpResponse,
} from '#core/http';
import { ControllerContext, type CheckedParts } from './controller-context.js';
import { controllerErrors } from './error-codes.js';
import { readContent, requireContent } from './read-content.js';
import type { ValueResolver } from './resolve-arguments.js';
import type { RouteSchemas } from './route-schemas.js';
import {
  type StandardSchema,
  describeViolation,
  publishValidation,
  toViolation,
  validateInput,
  ValidationError,
} from './validation-error.js';

/** Resolves the only argument of a controller with schemas: its context, with the schemas' outputs. */
export function checkedContext(schemas: RouteSchemas, context: ValueResolver): ValueResolver {
  return {
    name: context.name,
    async resolve(request) {
      const parts = await checkRequest(schemas, request);
      const plain = await context.resolve(request);
      return plain instanceof ControllerContext ? ControllerContext.checked(plain, parts) : plain;
    },
  };
}

/** Invalid route parameters throw a 404 at once; violations in all other parts are reported together. */
async function checkRequest(schemas: RouteSchemas, request: HttpRequest): Promise<CheckedParts> {
  const parts: Record<string, unknown> = {};
  const violations: Violation[] = [];
  const check = async (
    name: keyof CheckedParts,
    part: NonNullable<Violation['in']>,
    value: unknown,
  ): Promise<void> => {
    const schema: StandardSchema | undefined = schemas[name];
    if (schema === undefined) return;
    const result = await (part === 'header'
      ? schema['~standard'].validate(value)
      : validateInput(schema, value));
    publishValidation(part, value, result.issues);
    if (result.issues === undefined) parts[name] = result.value;
    else violations.push(...result.issues.map((issue) => toViolation(issue, part)));
  };
  await check('params', 'path', { ...request.scope.get(requestRoute)?.parameters });
  if (violations.length > 0) throw noSuchAddress(violations);
  if (schemas.query !== undefined)
    await check('query', 'query', new FormBody([...request.query], request.limits.formDepth).toRecord());
  if (schemas.headers !== undefined) await check('headers', 'header', headersOf(request));
  if (schemas.body !== undefined) {
    const before = violations.length;
    const content = await readContent(request);
    await check('body', 'body', content);
    // A missing body is a clearer error than the violations that the schema reports for undefined.
    if (content === undefined && violations.length > before) await requireContent(request);
  }
  if (violations.length > 0) throw new ValidationError(violations);
  return parts;
}

function noSuchAddress(violations: readonly Violation[]): NotFoundError {
  const message = violations.map(describeViolation).join('\n');
  const cause = controllerErrors.create('CONTROLLER_PARAMETERS_INVALID', { violations: message });
  return new NotFoundError(message, { cause, violations });
}

function headersOf(request: HttpRequest): Record<string, string> {
  const headers = Object.create(null) as Record<string, string>; // still empty, filled below
  for (const [name] of request.headers) headers[name.toLowerCase()] ??= request.headers.get(name) ?? '';
  return headers;
}

/**
 * Turns a controller's result with schemas into a response: a response is returned unchanged, any other result becomes
 * the JSON of the response schema's output. This also applies in production, so that undeclared fields are never sent.
 * Throws `CONTROLLER_RESPONSE_INVALID` if the result does not match.
 */
export async function checkResult(
  schemas: RouteSchemas,
  result: unknown,
  controller: string,
): Promise<unknown> {
  const { response, status } = schemas;
  if (result instanceof HttpResponse) return result;
  if (typeof result === 'object' && result !== null && isWebResponse(result)) return result;
  if (response === undefined) {
    if (status === undefined) return result;
    if (result === undefined) return HttpResponse.empty(status);
    if (!isBodiless('GET', status)) return HttpResponse.json(result, { status });
    if (result === null) return HttpResponse.empty(status);
    const what = typeof result === 'object' ? 'an object' : `a ${typeof result}`;
    throw controllerErrors.create('CONTROLLER_CONTENT_LOST', { controller, what, status });
  }
  const checked = await response['~standard'].validate(result);
  publishValidation('response', result, checked.issues);
  if (checked.issues === undefined) return HttpResponse.json(checked.value, { status: status ?? 200 });
  const violations = checked.issues.slice(0, 20).map((issue) => describeViolation(toViolation(issue)));
  throw controllerErrors.create('CONTROLLER_RESPONSE_INVALID', {
    controller,
    violations: violations.join('; '),
  });
}
