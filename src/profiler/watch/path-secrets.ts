import { hidePathValues, redactedMark, type Redactor } from '#dump';
import type { MatchTrace } from '#routing';

/** The texts of parameters that are secret by their names: they stand in the path as well. Undefined where there is none. */
export function findSecretValues(
  given: Readonly<Record<string, unknown>>,
  names: readonly string[],
  redactor: Redactor,
): string[] | undefined {
  let found: string[] | undefined;
  for (const name of names) {
    const value = given[name];
    if (typeof value === 'string' && redactor.isSecretName(name)) (found ??= []).push(value);
  }
  return found;
}

/** A trace whose path, and what was said of it, hold no secrets. */
export function hideInTrace(
  trace: MatchTrace,
  {
    secrets = [],
    redactor,
  }: { readonly secrets?: readonly string[] | undefined; readonly redactor: Redactor },
): MatchTrace {
  const clean = (text: string): string => secrets.reduce((all, one) => hideIn(all, one), redactor.text(text));
  const path = hidePathValues(redactor.url(trace.path), secrets);
  if (secrets.length === 0 && path === trace.path) return trace;
  return { ...trace, path, rows: trace.rows.map((row) => ({ ...row, reason: clean(row.reason) })) };
}

/** Short ones could be part of any word; what stands in quotes is the value. */
function hideIn(text: string, secret: string): string {
  return secret.length < 4
    ? text.replaceAll(`"${secret}"`, `"${redactedMark}"`)
    : text.replaceAll(secret, redactedMark);
}
