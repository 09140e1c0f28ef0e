import { flattenError } from '#core/errors';
import { type Undo, watchConstruction } from '#core/patches';
import { currentRecording } from '#profiler';
import { createScopeKey, currentScope, type ScopeKey } from '#core/scope';
import { deepField, fieldOf } from '../source/fields.js';

/** Thrown value → HTTP status. */
type Failures = Map<unknown, number>;
const requestFailures: ScopeKey<Failures> = createScopeKey<Failures>('resolver errors');
const maxFailures = 5;

/**
 * Instruments the `GraphQLError` prototype, through which all GraphQL executors report a resolver's error before it is
 * masked or formatted. The resolver's own error becomes the record's exception, regardless of the response status.
 */
export const instrumentGraphqlErrors: (prototype: object) => Undo | undefined = instrumentationErrors(
  (made) => {
    let thrown = fieldOf(made, 'originalError');
    for (let depth = 0; depth < 10 && fieldOf(thrown, 'originalError') !== undefined; depth++)
      thrown = fieldOf(thrown, 'originalError'); // unwraps an error that masks another
    // A `GraphQLError` without a path reports an invalid query, not a resolver error.
    if (fieldOf(made, 'path') === undefined && fieldOf(thrown, 'name') === 'GraphQLError') return undefined;
    const status = deepField(thrown, 'extensions', 'http', 'status');
    return [thrown, typeof status === 'number' && status >= 400 && status < 600 ? status : 500];
  },
);

/**
 * Instruments the `TRPCError` prototype. Records the error thrown by the procedure, or tRPC's error if its message
 * differs.
 */
export const instrumentTrpcErrors: (prototype: object) => Undo | undefined = instrumentationErrors((made) => {
  const cause = fieldOf(made, 'cause');
  const isWrapped = cause !== undefined && fieldOf(cause, 'message') === fieldOf(made, 'message');
  return [isWrapped ? cause : made, trpcStatuses[String(fieldOf(made, 'code'))] ?? 500];
});

/** HTTP statuses of tRPC's client error codes; all other codes count as 500. */
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

function instrumentationErrors(
  readFailure: (made: object) => readonly [thrown: unknown, status: number] | undefined,
): (prototype: object) => Undo | undefined {
  const note = (made: object): void => {
    const [thrown, status = 500] = readFailure(made) ?? [];
    if (thrown !== undefined && thrown !== null) noteFailure(thrown, status);
  };
  return (prototype) =>
    watchConstruction(prototype, (made) => {
      // Deferred until subclass constructors have run.
      if (currentRecording() !== undefined) queueMicrotask(() => note(made));
    });
}

/** Records an error as the request's exception; several are combined into an `AggregateError`. */
function noteFailure(thrown: unknown, status: number): void {
  const scope = currentScope();
  const known: Failures = scope?.get(requestFailures) ?? new Map<unknown, number>();
  if (known.has(thrown) || known.size === maxFailures) return;
  scope?.set(requestFailures, known.set(thrown, status));
  const all = known.size === 1 ? thrown : gather(known);
  currentRecording()?.error(all, {
    ...flattenError(all, { mapsPackages: false }),
    status: Math.max(...known.values()),
  });
}

function gather(known: Failures): AggregateError {
  const left = known.size === maxFailures ? '; any more are left out' : '';
  const all = new AggregateError(known.keys(), `${known.size} errors of resolvers${left}`);
  return Object.assign(all, { stack: '' }); // the collected errors have their own stacks
}
