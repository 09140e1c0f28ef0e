import type { StandardSchema } from './standard-schema.js';
import { ValidationError } from './validation-error.js';

/** The schema's output for the value. Throws a `ValidationError` with every issue it finds. */
export async function validateValue<Output>(schema: StandardSchema<Output>, value: unknown): Promise<Output> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value;
  throw new ValidationError(result.issues);
}
