import { format } from 'node:util';
import { isError } from '#errors';

/** What is logged, as a line shows it: texts and numbers are the message, anything else its context. */
export function splitValues(values: readonly unknown[]): {
  readonly message: string;
  readonly context: { readonly values: readonly unknown[] } | undefined;
} {
  const others = values.filter((value) => !isSimple(value));
  const said = values.filter(isSimple);
  // Patterns (`%s`) as the console fills them in; what is no text of theirs stands in the context.
  const message = others.length === 0 ? format(...said) : said.map(String).join(' ');
  const context = others.length === 0 ? undefined : { values: others };
  return { message: message || messageOfError(others[0]), context };
}

/** What an error that is printed alone says. */
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
