import { format } from 'node:util';
import { isError } from '#errors';

/** Splits logged values: primitive values form the message, all others its context. */
export function splitValues(values: readonly unknown[]): {
  readonly message: string;
  readonly context: { readonly values: readonly unknown[] } | undefined;
} {
  const others = values.filter((value) => !isSimple(value));
  const primitives = values.filter(isSimple);
  // Placeholders (`%s`) are filled in as by the console, but only if there are no objects among the values.
  const message = others.length === 0 ? format(...primitives) : primitives.map(String).join(' ');
  const context = others.length === 0 ? undefined : { values: others };
  return { message: message || messageOfError(others[0]), context };
}

/** Returns the message of an error that is logged without a text; empty for other values. */
function messageOfError(value: unknown): string {
  const message: unknown = isError(value)
    ? Object.getOwnPropertyDescriptor(value, 'message')?.value
    : undefined;
  return typeof message === 'string' ? message : '';
}

function isSimple(value: unknown): boolean {
  return (
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    typeof value === 'bigint'
  );
}
