import { undoAll } from '#core/patches';
import { callMethod, deepField, fieldOf, listField, textField } from '../source/fields.js';
import { type OperationListener, listenToOperations } from '../source/listen-to.js';
import { beginQuery, beginQueryAt, type BegunQuery, endByMessage } from './record-query.js';

const maxDepth = 6;
const maxParts = 200;
/** Marks omitted parts. */
const cut = '…';

/**
 * Formats an operation on documents as a statement, `users.find({"age": ?})`, and its values. Large ones are truncated.
 */
export function mongoStatement(
  target: string,
  documents: readonly unknown[],
): { readonly sql: string; readonly params: readonly unknown[] } {
  const params: unknown[] = [];
  let parts = 0;
  const writeAll = <Item>(items: Iterable<Item>, write: (item: Item) => string): string => {
    const written: string[] = [];
    for (const item of items) {
      if (++parts > maxParts) return [...written, cut].join(', ');
      written.push(write(item));
    }
    return written.join(', ');
  };
  const write = (value: unknown, depth: number): string => {
    if (depth < maxDepth && Array.isArray(value))
      return `[${writeAll<unknown>(value, (item) => write(item, depth + 1))}]`;
    if (depth < maxDepth && isPlain(value))
      return `{${writeAll(fieldsOf(value), ([name, field]) => `${JSON.stringify(name.slice(0, 100))}: ${write(field, depth + 1)}`)}}`;
    params.push(value);
    return '?';
  };
  const given = documents.filter((document) => document !== undefined);
  return { sql: `${target}(${writeAll(given, (document) => write(document, 0))})`, params };
}

/** Iterates over own fields without running getters. */
function* fieldsOf(value: object): Iterable<readonly [name: string, value: unknown]> {
  for (const name of Object.keys(value)) {
    const field = Object.getOwnPropertyDescriptor(value, name);
    if (field !== undefined && 'value' in field && field.value !== undefined) yield [name, field.value];
  }
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Instruments a mongodb client through its events. They only cover connections opened later, so call it before
 * `connect`.
 */
export function instrumentMongo(client: object): void {
  const begun = new Map<unknown, BegunQuery>();
  Reflect.set(client, 'monitorCommands', true);
  const listeners: Readonly<Record<string, (event: unknown) => void>> = {
    commandStarted(event) {
      const name = fieldOf(event, 'commandName');
      const command = fieldOf(event, 'command');
      if (typeof name !== 'string') return;
      // A cursor's further documents are requested by its number.
      const collection = fieldOf(command, name === 'getMore' ? 'collection' : name);
      if (typeof collection !== 'string') return; // a command from the connection itself, not the application
      const statement = (): ReturnType<typeof mongoStatement> =>
        mongoStatement(`${collection}.${name}`, documentsOf(command));
      const query = beginQuery('mongodb', statement, { countRows });
      if (query !== undefined) begun.set(fieldOf(event, 'requestId'), query);
    },
    commandSucceeded: (event) => take(event)?.done(fieldOf(event, 'reply')),
    commandFailed: (event) => take(event)?.failed(fieldOf(event, 'failure')),
  };
  const take = (event: unknown): BegunQuery | undefined => {
    const id = fieldOf(event, 'requestId');
    const query = begun.get(id);
    begun.delete(id);
    return query;
  };
  for (const [event, listener] of Object.entries(listeners)) callMethod(client, 'on', event, listener);
}

function countRows(reply: unknown): number | undefined {
  const batch = deepField(reply, 'cursor', 'firstBatch') ?? deepField(reply, 'cursor', 'nextBatch');
  const count = Array.isArray(batch) ? batch.length : fieldOf(reply, 'n');
  return typeof count === 'number' ? count : undefined;
}

function documentsOf(command: unknown): readonly unknown[] {
  const many = ['updates', 'deletes', 'documents'].flatMap((name) => listField(command, name));
  const parts = many.flatMap((one) =>
    fieldOf(one, 'q') === undefined ? [one] : [fieldOf(one, 'q'), fieldOf(one, 'u')],
  );
  return [...['filter', 'query', 'pipeline', 'key'].map((name) => fieldOf(command, name)), ...parts];
}

const operations = ['query', 'aggregate', 'model:save', 'model:insertMany', 'model:bulkWrite'];
const documents = ['filter', 'pipeline', 'update', 'doc', 'docs', 'ops', 'fields'];

/** Listens to Mongoose's channels (from 9.7 on). */
export function listenToMongoose(): () => void {
  const begin: OperationListener = (message, moment) => {
    const args = fieldOf(message, 'args');
    const target = `${textField(message, 'collection')}.${textField(message, 'operation')}`;
    const statement = mongoStatement(
      target,
      documents.map((name) => fieldOf(args, name)),
    );
    const countRows = (result: unknown): number | undefined =>
      Array.isArray(result) ? result.length : undefined;
    return endByMessage(beginQueryAt(moment, { system: 'mongodb', read: () => statement, countRows }));
  };
  return undoAll(operations.map((name) => listenToOperations(`mongoose:${name}`, begin)));
}
