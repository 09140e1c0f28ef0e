import { hearOperations, type TellOperation } from '../source/hear.js';
import { fieldOf } from '../source/fields.js';
import { all } from '../source/replace-method.js';
import { mongoStatement } from './mongo-statement.js';
import { tellQuery } from './query-under-way.js';

const operations = ['query', 'aggregate', 'model:save', 'model:insertMany', 'model:bulkWrite'];
const documents = ['filter', 'pipeline', 'update', 'doc', 'docs', 'ops', 'fields'];

/** Mongoose from 9.7 on, by its channels. */
export function hearMongoose(): () => void {
  const tell: TellOperation = (message, moment) => {
    const args = fieldOf(message, 'args');
    const target = `${textOf(message, 'collection')}.${textOf(message, 'operation')}`;
    const given = documents.map((name) => fieldOf(args, name));
    const result = fieldOf(message, 'result');
    const rows = Array.isArray(result) ? result.length : undefined;
    const asked = { ...mongoStatement(target, given), rows, error: fieldOf(message, 'error') };
    tellQuery(asked, { system: 'mongodb', moment });
  };
  return all(operations.map((name) => hearOperations(`mongoose:${name}`, tell)));
}

function textOf(message: object, name: string): string {
  const text = fieldOf(message, name);
  return typeof text === 'string' ? text : '';
}
