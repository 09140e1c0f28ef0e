import { safely } from '#core/coded-error';
import type { ProfileRecord, RecordedBody } from './profile-record.js';

/** Maximum number of operations named in a batch. */
const maxNamed = 3;
const maxNameLength = 100;

/** Describes a GraphQL request's operations as `query Books` or `mutation Login, query Books`; undefined for other requests. */
export function findOperations({ request }: ProfileRecord): string | undefined {
  const { method, url, body } = request;
  const given = method === 'GET' ? paramsOf(url) : jsonOf(body);
  const operations = (Array.isArray(given) ? given.slice(0, maxNamed) : [given]).map(describeOperation);
  const named = operations.filter((name) => name !== undefined);
  if (named.length === 0) return undefined;
  const more = Array.isArray(given) ? given.length - operations.length : 0;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * Returns the message of the first error in a GraphQL response, which usually has status 200; undefined if there is
 * none.
 */
export function findGraphqlError(record: ProfileRecord): string | undefined {
  const body = record.response?.body;
  if (body === null || body === undefined || !body.content.includes('"errors"')) return undefined;
  if (findOperations(record) === undefined) return undefined;
  const answers = jsonOf(body);
  for (const answer of listOf(answers) ?? [answers]) {
    const [first] = listOf(memberOf(answer, 'errors')) ?? [];
    const message = memberOf(first, 'message');
    if (first !== undefined) return typeof message === 'string' ? message : '';
  }
  return undefined;
}

function jsonOf(body: RecordedBody | null | undefined): unknown {
  if (body === null || body === undefined || body.encoding !== 'text' || !/\bjson\b/.test(body.contentType))
    return undefined;
  return safely<unknown, undefined>(() => JSON.parse(body.content), undefined);
}

function paramsOf(url: string): unknown {
  if (!url.includes('query=')) return undefined;
  return safely(() => Object.fromEntries(new URL(url).searchParams), undefined);
}

function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (Reflect.get(value, name) as unknown) : undefined; // from parsed JSON
}

function describeOperation(given: unknown): string | undefined {
  const query = memberOf(given, 'query');
  const name = memberOf(given, 'operationName');
  const chosen = typeof name === 'string' && /^[A-Za-z_]\w*$/.test(name) ? name.slice(0, maxNameLength) : '';
  if (typeof query !== 'string') {
    // A stored query is sent as a hash, with its operation name.
    const isStored = memberOf(memberOf(given, 'extensions'), 'persistedQuery') !== undefined;
    return isStored ? (chosen === '' ? 'stored query' : chosen) : undefined;
  }
  const document = query.replaceAll(/#[^\n]*/g, '').trimStart();
  if (document.startsWith('{')) return 'query';
  if (!/^(?:query|mutation|subscription|fragment)\b/.test(document) || !document.includes('{'))
    return undefined;
  const definitions = [...document.matchAll(/\b(query|mutation|subscription)\s+([A-Za-z_]\w*)/g)];
  const found = definitions.find(([, , own]) => own === chosen) ?? definitions[0];
  const [, kind = /^\w+/.exec(document)?.[0] ?? 'query', own = ''] = found ?? [];
  return `${kind === 'fragment' ? 'query' : kind} ${chosen === '' ? own.slice(0, maxNameLength) : chosen}`.trimEnd();
}
