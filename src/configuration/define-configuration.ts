import type { StandardSchema } from '#controller';
import { createRedactor, redactedMark } from '#dump';
import { configurationErrors } from './error-codes.js';

/** Variables by name, each with a schema of this house or any other Standard Schema (Zod, Valibot, ArkType …). */
export type ConfigurationShape = Readonly<Record<string, StandardSchema>>;

/** The type of the values that a shape describes. */
export type ConfigurationOf<Shape extends ConfigurationShape> = {
  readonly [Name in keyof Shape]: Shape[Name] extends StandardSchema<infer Output> ? Output : never;
};

/** Maximum number of characters of a value that are shown. */
const maxValueLength = 100;
const redactor = createRedactor();

/**
 * Reads the configuration of an application. An empty variable counts as not set. Throws `CONFIGURATION_INVALID` with
 * every invalid variable, its value (hidden if it is a secret) and the values it accepts.
 */
export function defineConfiguration<const Shape extends ConfigurationShape>(
  shape: Shape,
  { variables = process.env }: { readonly variables?: Readonly<Record<string, string | undefined>> } = {},
): ConfigurationOf<Shape> {
  const values: [string, unknown][] = [];
  const problems: string[] = [];
  for (const [name, schema] of Object.entries(shape)) {
    const given = variables[name]?.trim();
    const text = given === '' ? undefined : given;
    const result = schema['~standard'].validate(text);
    if (result instanceof Promise)
      throw configurationErrors.create('CONFIGURATION_ASYNC_SCHEMA', { variable: name });
    if (result.issues === undefined) values.push([name, result.value]);
    else problems.push(`  ${describe(name, text, { schema, issues: result.issues })}`);
  }
  if (problems.length > 0)
    throw configurationErrors.create('CONFIGURATION_INVALID', { problems: problems.join('\n') });
  return Object.freeze(Object.fromEntries(values)) as ConfigurationOf<Shape>; // each value is the output of its schema
}

interface Refusal {
  readonly schema: StandardSchema;
  readonly issues: readonly { readonly message: string }[];
}

function describe(name: string, value: string | undefined, { schema, issues }: Refusal): string {
  const why = issues.map(({ message }) => message).join(' ');
  if (value === undefined) return `${name} is not set. ${why}`;
  const isSecret = redactor.isSecretName(name) || ('isSecret' in schema && schema.isSecret === true);
  if (isSecret) return `${name} is ${redactedMark}. ${why.replaceAll(value, redactedMark)}`;
  // The message of a schema library may contain the value, which may be a URL with a password.
  const [safe, reason] = [redactor.url(redactor.text(value)), redactor.text(why)];
  return `${name} is "${safe.slice(0, maxValueLength)}${safe.length > maxValueLength ? '…' : ''}". ${reason}`;
}
