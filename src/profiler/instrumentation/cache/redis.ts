import { channel } from 'node:diagnostics_channel';
import { undoAll } from '#core/patches';
import { listenToOperations, type OperationListener } from '../source/listen-to.js';
import { publishAt } from '../source/moment.js';
import { fieldOf, listField, textField } from '../source/fields.js';

const commands = channel('lookback:cache:command');
/** Commands whose answer shows whether the key was found. */
const readCommands =
  /^(?:GET|GETEX|GETDEL|HGET|HGETALL|MGET|HMGET|EXISTS|LINDEX|SISMEMBER|ZSCORE|JSON\.GET)$/;

/** Listens to ioredis 6 and redis 6, without written values. In messages of redis, the first argument is the command. */
export function listenToRedis(): () => void {
  const publish: OperationListener = (message, moment) => {
    const list = listField(message, 'args');
    const command = textField(message, 'command').toUpperCase();
    const error = fieldOf(message, 'error');
    const isAnswered = error === undefined && readCommands.test(command);
    const isRepeated = typeof list[0] === 'string' && list[0].toUpperCase() === command;
    publishAt(moment, commands, () => ({
      system: 'redis',
      command,
      args: isRepeated ? list.slice(1) : list,
      hit: isAnswered ? isHit(fieldOf(message, 'result')) : undefined,
      error,
    }));
  };
  return undoAll([
    listenToOperations('ioredis:command', publish),
    listenToOperations('node-redis:command', publish),
    listenToOperations('node-redis:batch', (message, moment) => {
      const size = Number(fieldOf(message, 'batchSize'));
      // The commands of a pipeline are published one by one.
      if (textField(message, 'batchMode') === 'MULTI')
        publish(
          {
            command: 'MULTI',
            args: [`${size} ${size === 1 ? 'command' : 'commands'}`],
            error: fieldOf(message, 'error'),
          },
          moment,
        );
    }),
  ]);
}

/** Whether the result of a read command shows that the key was found. */
function isHit(result: unknown): boolean {
  if (result === null || result === undefined || result === 0) return false;
  if (Array.isArray(result)) return result.some((value) => value !== null && value !== undefined);
  return typeof result !== 'object' || result instanceof Uint8Array || Object.keys(result).length > 0;
}
