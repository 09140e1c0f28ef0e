import { type ProfileRecord, findHeader } from '../../model/profile-record.js';
import { formatBytes, shorten } from '../../model/formatting.js';
import { type Finder, ofKind, type RecordFinding, from, warning } from '../finding.js';
import { findRecordedError } from '../../model/recorded-error.js';
import { describeRefusal, findRefusal } from './refusals.js';
import { findGraphqlError } from '../../model/graphql-facts.js';

export const maxMessageLength = 160;

/** Finders for abnormal ends, exceptions, refusals, and errors in GraphQL responses. */
export const exceptionFinders: readonly Finder[] = [
  ofKind('cut', findBrokenEnd),
  ofKind('error', findException),
  ofKind('refused', findRefusal),
  ofKind('graphql-error', findGraphqlErrors),
];

function findBrokenEnd({ state, response, exception }: ProfileRecord): RecordFinding | undefined {
  if (state === 'complete') return undefined;
  const { headers = [], bodyBytes = 0 } = response ?? {};
  // Neither status nor body was sent if the client left before there was a response.
  if (state === 'unfinished' || headers.length + bodyBytes === 0)
    return { ...warning('No response was sent'), kind: 'no-response', explains: 'failure' };
  const after = describeSentPart(bodyBytes);
  // Event streams end when the client leaves.
  if (exception === null && findHeader(headers, 'content-type')?.startsWith('text/event-stream') === true)
    return { ...warning(`The event stream was closed ${after}`), kind: 'stream-closed', level: 'info' };
  return { ...warning(`The response was cut off ${after}`), explains: 'failure' };
}

/** A connection's minimum buffer size: more of the response may have been buffered when the connection closed. */
const bufferedBytes = 65_536;

/** Describes how much of a cut response was sent, based on the bytes passed to the connection. */
export function describeSentPart(bodyBytes: number): string {
  return bodyBytes < bufferedBytes
    ? `after ${formatBytes(bodyBytes)}`
    : `after at most ${formatBytes(bodyBytes)}`;
}

function findException(record: ProfileRecord): RecordFinding | undefined {
  const { exception } = record;
  if (exception === null) return undefined;
  const { answered } = exception;
  if (answered !== undefined) {
    const text = `${describeException(record)}; the listener ${answered.by} answered it`;
    return { ...warning(text, 'exception'), level: 'info' };
  }
  const level = exception.status >= 500 ? 'error' : 'warn';
  return { ...warning(describeFailure(record), 'exception'), level, explains: 'failure' };
}

/** Reports errors in a GraphQL response when nothing was thrown, for example for an invalid query. */
function findGraphqlErrors(record: ProfileRecord): RecordFinding | undefined {
  const message = record.exception === null ? findGraphqlError(record) : undefined;
  if (message === undefined) return undefined;
  return {
    ...warning(`The answer has an error: ${shorten(message, maxMessageLength)}`, 'request'),
    explains: 'failure',
  };
}

const maxOuterLength = 80;

/** Describes why a request failed with an exception: what refused it, or else what was thrown. */
export function describeFailure(record: ProfileRecord): string {
  return describeRefusal(record) ?? describeException(record);
}

/** Describes the exception and its location, and the outer error it caused, as one sentence. */
export function describeException(record: ProfileRecord): string {
  const error = findRecordedError(record);
  if (error === undefined) return '';
  const outer = error.outer.at(-1);
  const because = outer === undefined ? '' : `, as ${describeError(outer, maxOuterLength)}`;
  return describeError(error, maxMessageLength) + from(error.location ?? undefined) + because;
}

function describeError({ class: name, message }: { class: string; message: string }, limit: number): string {
  const [line = ''] = message.split('\n', 1);
  const words = line.slice(0, limit).replace(/\.$/, '');
  return [name === 'Error' && words !== '' ? '' : name, words].filter((part) => part !== '').join(': ');
}
