import type { DbSection, ProfileRecord } from '#profiler';
import type { Attributes } from './otlp-items.js';

/** Description of an entry of a record's timeline as a span. */
interface SpanDescription {
  readonly name: string;
  /** Whether the span is a call of another system. */
  readonly isCall: boolean;
  /** Span id that was sent to the other system. */
  readonly spanId?: string;
  readonly attributes: Attributes;
  /** Error message or status of a failure; otherwise null. */
  readonly error: string | null;
}

/** The part of a call in the section `http` that is read. */
interface Call {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly error: string | null;
  readonly spanId: string;
}

const maxNameLength = 80;
/** Names of connections that are also names in the semantic conventions. */
const knownSystems = new Set(['mariadb', 'mongodb', 'mysql', 'postgresql', 'sqlite']);

/**
 * Describes an entry of the timeline as a span, with attributes from its section: queries and calls have their own
 * semantic conventions.
 */
export function describeSpan(
  { sections }: Pick<ProfileRecord, 'sections'>,
  entry: ProfileRecord['timeline'][number],
): SpanDescription {
  const { name, category, section, anchor, detail } = entry;
  const place = Number(/-(\d+)$/.exec(anchor ?? '')?.[1] ?? 0) - 1;
  if (section === 'db') {
    const query = (sections['db'] as DbSection | undefined)?.queries[place]; // stored by the db collector
    if (query !== undefined) return describeQuery(query);
  }
  if (section === 'http') {
    const call = (sections['http'] as { readonly calls?: readonly Call[] } | undefined)?.calls?.[place]; // stored by the http collector
    if (call !== undefined) return describeCall(call);
  }
  return {
    name,
    isCall: category === 'database' || category === 'http',
    attributes: {
      'lookback.category': category,
      ...(detail === undefined ? {} : { 'lookback.detail': detail }),
    },
    error: null,
  };
}

function describeQuery({ sql, rows, connection, error }: DbSection['queries'][number]): SpanDescription {
  return {
    name: sql.slice(0, maxNameLength),
    isCall: true,
    attributes: {
      'db.system.name': knownSystems.has(connection) ? connection : 'other_sql',
      'db.query.text': sql,
      ...(knownSystems.has(connection) ? {} : { 'db.namespace': connection }),
      ...(rows === null ? {} : { 'db.response.returned_rows': rows }),
      ...(error === null ? {} : { 'error.type': '_OTHER' }),
    },
    error,
  };
}

function describeCall({ method, url, status, error, spanId }: Call): SpanDescription {
  const to = URL.canParse(url) ? new URL(url) : undefined;
  const failure = error ?? (status >= 400 ? String(status) : null);
  return {
    name: method,
    isCall: true,
    ...(spanId === '' ? {} : { spanId }),
    attributes: {
      'http.request.method': method,
      'url.full': url,
      ...(to === undefined ? {} : { 'server.address': to.hostname }),
      ...(to === undefined || to.port === '' ? {} : { 'server.port': Number(to.port) }),
      ...(status === 0 ? {} : { 'http.response.status_code': status }),
      ...(failure === null ? {} : { 'error.type': error === null ? String(status) : '_OTHER' }),
    },
    error: failure,
  };
}
