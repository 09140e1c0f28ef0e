import { flattenError } from '#errors';
import { type Undo, watchConstruction } from '#patches';
import { currentRecording } from '#profiler';
import { createScopeKey, currentScope, type ScopeKey } from '#scope';
import { deepField, fieldOf } from '../source/fields.js';

/** What was thrown, and the status that it stands for. */
type Failures = Map<unknown, number>;
const requestFailures: ScopeKey<Failures> = createScopeKey<Failures>('errors of resolvers');
const maxFailures = 5;

/**
 * The prototype of `GraphQLError`, with which every executor and server of GraphQL reports what a resolver threw, before it is masked
 * or formatted: the resolver's own error is the exception of the record, whatever the status of the answer.
 */
export const tapGraphqlErrors: (prototype: object) => Undo | undefined = tapErrors((made) => {
  let thrown = fieldOf(made, 'originalError');
  for (let depth = 0; depth < 10 && fieldOf(thrown, 'originalError') !== undefined; depth++)
    thrown = fieldOf(thrown, 'originalError'); // of one that masks another
  // Without a path, it says what is wrong with the query.
  if (fieldOf(made, 'path') === undefined && fieldOf(thrown, 'name') === 'GraphQLError') return undefined;
  const status = deepField(thrown, 'extensions', 'http', 'status');
  return [thrown, typeof status === 'number' && status >= 400 && status < 600 ? status : 500];
});

/** The prototype of `TRPCError`: what a procedure threw, or what tRPC made of it where that says more. */
export const tapTrpcErrors: (prototype: object) => Undo | undefined = tapErrors((made) => {
  const cause = fieldOf(made, 'cause');
  const isWrapped = cause !== undefined && fieldOf(cause, 'message') === fieldOf(made, 'message');
  return [isWrapped ? cause : made, trpcStatuses[String(fieldOf(made, 'code'))] ?? 500];
});

/** Of its codes those that say what is wrong with a request. */
const trpcStatuses: Readonly<Record<string, number | undefined>> = {
  PARSE_ERROR: 400,
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_SUPPORTED: 405,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  UNPROCESSABLE_CONTENT: 422,
  TOO_MANY_REQUESTS: 429,
};

function tapErrors(
  readFailure: (made: object) => readonly [thrown: unknown, status: number] | undefined,
): (prototype: object) => Undo | undefined {
  const note = (made: object): void => {
    const [thrown, status = 500] = readFailure(made) ?? [];
    if (thrown !== undefined && thrown !== null) noteFailure(thrown, status);
  };
  return (prototype) =>
    watchConstruction(prototype, (made) => {
      // Its own constructor goes on behind this.
      if (currentRecording() !== undefined) queueMicrotask(() => note(made));
    });
}

/** One is the exception of its request; several are gathered in one. */
function noteFailure(thrown: unknown, status: number): void {
  const scope = currentScope();
  const known: Failures = scope?.get(requestFailures) ?? new Map<unknown, number>();
  if (known.has(thrown) || known.size === maxFailures) return;
  scope?.set(requestFailures, known.set(thrown, status));
  const all = known.size === 1 ? thrown : gather(known);
  currentRecording()?.error(all, { ...flattenError(all), status: Math.max(...known.values()) });
}

function gather(known: Failures): AggregateError {
  const left = known.size === maxFailures ? '; any more are left out' : '';
  const all = new AggregateError(known.keys(), `${known.size} errors of resolvers${left}`);
  return Object.assign(all, { stack: '' }); // the place is that of each
}
