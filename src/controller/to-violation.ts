import type { Violation } from '#errors';
import type { SchemaIssue } from './standard-schema.js';

/** An issue of a schema as a violation of a part of the request. */
export function toViolation(issue: SchemaIssue, part?: Violation['in']): Violation {
  return {
    path: renderPath(issue.path ?? []),
    message: issue.message,
    code: codeOf(issue),
    ...(part === undefined ? {} : { in: part }),
  };
}

/** A line of text for people. */
export function describeViolation({ in: part, path, message }: Violation): string {
  const place = part === undefined || part === 'body' ? path : `${part} ${path}`.trim();
  return place === '' ? message : `${place}: ${message}`;
}

/** The standard has no code, but the libraries do: Zod and ArkType as `code`, Valibot as `type`. */
function codeOf(issue: SchemaIssue & { readonly code?: unknown; readonly type?: unknown }): string {
  for (const code of [issue.code, issue.type]) if (typeof code === 'string' && code !== '') return code;
  return 'invalid';
}

function renderPath(path: NonNullable<SchemaIssue['path']>): string {
  let text = '';
  for (const step of path) {
    const key = typeof step === 'object' ? step.key : step;
    if (typeof key === 'number') text += `[${key}]`;
    else text += text === '' ? String(key) : `.${String(key)}`;
  }
  return text;
}
