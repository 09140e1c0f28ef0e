import { type ProfileRecord, findHeader } from '../../model/profile-record.js';
import { formatBytes, shorten } from '../../model/formatting.js';
import { type Finder, type RecordFinding, from, warning } from '../finding.js';
import { findErrorLocation } from '../../model/find-location.js';
import { findGraphqlError } from '../../model/graphql-facts.js';

export const maxMessageLength = 160;

/** Find how the request ended, what was thrown, and errors in an answer of GraphQL. */
export const exceptionFinders: readonly Finder[] = [findBrokenEnd, findException, findGraphqlErrors];

function findBrokenEnd({ state, response, exception }: ProfileRecord): RecordFinding | undefined {
  if (state === 'complete') return undefined;
  const { headers = [], bodyBytes = 0 } = response ?? {};
  // Neither, if the client left before there was a response.
  if (state === 'unfinished' || headers.length + bodyBytes === 0)
    return { ...warning('No response was sent'), explains: 'failure' };
  const after = `after ${formatBytes(bodyBytes)}`;
  // Event streams end when their client leaves.
  if (exception === null && findHeader(headers, 'content-type')?.startsWith('text/event-stream') === true)
    return { ...warning(`The event stream was closed ${after}`), level: 'info' };
  return { ...warning(`The response was cut off ${after}`), explains: 'failure' };
}

function findException({ exception }: ProfileRecord): RecordFinding | undefined {
  if (exception === null) return undefined;
  const { answered } = exception;
  if (answered !== undefined) {
    const text = `${describeException(exception)}; the listener ${answered.by} answered it`;
    return { ...warning(text, 'exception'), level: 'info' };
  }
  const level = exception.status >= 500 ? 'error' : 'warn';
  return { ...warning(describeException(exception), 'exception'), level, explains: 'failure' };
}

/** Reports the errors in an answer of GraphQL where nothing was thrown: a query that is not valid, say. */
function findGraphqlErrors(record: ProfileRecord): RecordFinding | undefined {
  const message = record.exception === null ? findGraphqlError(record) : undefined;
  if (message === undefined) return undefined;
  return {
    ...warning(`The answer has an error: ${shorten(message, maxMessageLength)}`, 'request'),
    explains: 'failure',
  };
}

/** Returns what was thrown and from where, as a sentence. */
export function describeException(exception: NonNullable<ProfileRecord['exception']>): string {
  const [line = ''] = exception.message.split('\n', 1);
  const words = line.slice(0, maxMessageLength).replace(/\.$/, '');
  const named = [exception.class === 'Error' && words !== '' ? '' : exception.class, words];
  return named.filter((part) => part !== '').join(': ') + from(findErrorLocation(exception) ?? undefined);
}
