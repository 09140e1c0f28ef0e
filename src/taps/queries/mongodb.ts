import { undoAll } from '#patches';
import { callMethod, deepField, fieldOf, listField } from '../source/fields.js';
import { mongoStatement } from './mongo-statement.js';
import { beginQuery, type EndQuery } from './query-under-way.js';

interface Begun {
  readonly end: EndQuery;
  readonly statement: ReturnType<typeof mongoStatement>;
}

/** Taps a client of mongodb by its events. They only cover connections that are opened later, so call it before `connect`. */
export function tapMongo(client: object): (() => void) | undefined {
  const begun = new Map<unknown, Begun>();
  const former = fieldOf(client, 'monitorCommands');
  Reflect.set(client, 'monitorCommands', true);
  const listeners: Readonly<Record<string, (event: unknown) => void>> = {
    commandStarted(event) {
      const name = fieldOf(event, 'commandName');
      const command = fieldOf(event, 'command');
      if (typeof name !== 'string') return;
      const collection = fieldOf(command, name);
      if (typeof collection !== 'string') return; // a command of the connection itself, not of the application
      const end = beginQuery('mongodb');
      if (end === undefined) return;
      const statement = mongoStatement(`${collection}.${name}`, documentsOf(command));
      begun.set(fieldOf(event, 'requestId'), { end, statement });
    },
    commandSucceeded(event) {
      const reply = fieldOf(event, 'reply');
      const batch = deepField(reply, 'cursor', 'firstBatch') ?? deepField(reply, 'cursor', 'nextBatch');
      const count = Array.isArray(batch) ? batch.length : fieldOf(reply, 'n');
      over(event, { rows: typeof count === 'number' ? count : undefined });
    },
    commandFailed: (event) => over(event, { error: fieldOf(event, 'failure') }),
  };
  const over = (event: unknown, how: { rows?: number | undefined; error?: unknown }): void => {
    const id = fieldOf(event, 'requestId');
    const query = begun.get(id);
    begun.delete(id);
    query?.end({ ...query.statement, ...how });
  };
  const callAll = (method: 'on' | 'off'): void => {
    for (const [event, listener] of Object.entries(listeners)) callMethod(client, method, event, listener);
  };
  callAll('on');
  return undoAll([() => callAll('off'), () => Reflect.set(client, 'monitorCommands', former)]);
}

function documentsOf(command: unknown): readonly unknown[] {
  const many = ['updates', 'deletes', 'documents'].flatMap((name) => listField(command, name));
  const parts = many.flatMap((one) =>
    fieldOf(one, 'q') === undefined ? [one] : [fieldOf(one, 'q'), fieldOf(one, 'u')],
  );
  return [...['filter', 'query', 'pipeline', 'key'].map((name) => fieldOf(command, name)), ...parts];
}
