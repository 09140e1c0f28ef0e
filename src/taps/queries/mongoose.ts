import { undoAll } from '#patches';
import { listenToOperations, type OperationListener } from '../source/listen-to.js';
import { fieldOf, textField } from '../source/fields.js';
import { mongoStatement } from './mongo-statement.js';
import { publishQuery } from './query-under-way.js';

const operations = ['query', 'aggregate', 'model:save', 'model:insertMany', 'model:bulkWrite'];
const documents = ['filter', 'pipeline', 'update', 'doc', 'docs', 'ops', 'fields'];

/** Listens to the channels of Mongoose (from 9.7 on). */
export function listenToMongoose(): () => void {
  const publish: OperationListener = (message, moment) => {
    const args = fieldOf(message, 'args');
    const target = `${textField(message, 'collection')}.${textField(message, 'operation')}`;
    const given = documents.map((name) => fieldOf(args, name));
    const result = fieldOf(message, 'result');
    const rows = Array.isArray(result) ? result.length : undefined;
    const statement = { ...mongoStatement(target, given), rows, error: fieldOf(message, 'error') };
    publishQuery(statement, { system: 'mongodb', moment });
  };
  return undoAll(operations.map((name) => listenToOperations(`mongoose:${name}`, publish)));
}
