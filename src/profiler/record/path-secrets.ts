import { hidePathValues, redactedMark, type Redactor } from '#dump';
import type { MatchTrace } from '#routing';

/** Redacts secrets in the path and the reasons of a trace. */
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

/** Replaces a secret in a text. A short one could be part of any word, so it is replaced only if it is quoted. */
function hideIn(text: string, secret: string): string {
  return secret.length < 4
    ? text.replaceAll(`"${secret}"`, `"${redactedMark}"`)
    : text.replaceAll(secret, redactedMark);
}
