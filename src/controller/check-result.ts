import { HttpResponse } from '#http';
import { controllerErrors } from './error-codes.js';
import type { RouteSchemas } from './route-schemas.js';
import { describeViolation, toViolation } from './to-violation.js';

/**
 * What a controller gave, as its schemas send it: a response as it is, anything else as the JSON of what the response's
 * schema makes of it. In production too: a field that the schema does not name is not to leave by a change elsewhere.
 */
export async function checkResult(
  schemas: RouteSchemas,
  result: unknown,
  controller: string,
): Promise<unknown> {
  const { response, status } = schemas;
  const isAnswer = result instanceof HttpResponse || result instanceof Response;
  if (isAnswer || (response === undefined && status === undefined)) return result;
  if (response === undefined) {
    return result === undefined
      ? HttpResponse.empty(status)
      : HttpResponse.json(result, { status: status ?? 200 });
  }
  const checked = await response['~standard'].validate(result);
  if (checked.issues === undefined) return HttpResponse.json(checked.value, { status: status ?? 200 });
  const violations = checked.issues.slice(0, 20).map((issue) => describeViolation(toViolation(issue)));
  throw controllerErrors.create('CONTROLLER_RESPONSE_INVALID', {
    controller,
    violations: violations.join('; '),
  });
}
