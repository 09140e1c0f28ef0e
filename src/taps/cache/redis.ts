import { channel } from 'node:diagnostics_channel';
import { undoAll } from '#patches';
import { listenToOperations, type OperationListener } from '../source/listen-to.js';
import { fieldOf, listField, textField } from '../source/fields.js';

const commands = channel('lookback:cache:command');
/** Commands whose answer says whether there was something. */
const readCommands =
  /^(?:GET|GETEX|GETDEL|HGET|HGETALL|MGET|HMGET|EXISTS|LINDEX|SISMEMBER|ZSCORE|JSON\.GET)$/;

/** ioredis 6 and redis 6, by their channels: without the values that are written. redis has the command first among the arguments. */
export function listenToRedis(): () => void {
  const publish: OperationListener = (message, moment) => {
    const list = listField(message, 'args');
    const command = textField(message, 'command').toUpperCase();
    const isRepeated = typeof list[0] === 'string' && list[0].toUpperCase() === command;
    commands.publish({
      system: 'redis',
      command,
      args: isRepeated ? list.slice(1) : list,
      startedAt: moment.startedAt,
      durationMs: performance.now() - moment.startedAt,
      hit: readCommands.test(command) ? isHit(fieldOf(message, 'result')) : undefined,
      error: fieldOf(message, 'error'),
      callSite: moment.callSite(),
    });
  };
  return undoAll([
    listenToOperations('ioredis:command', publish),
    listenToOperations('node-redis:command', publish),
  ]);
}

/** Whether a reading command found its key. */
function isHit(result: unknown): boolean {
  if (result === null || result === undefined || result === 0) return false;
  if (Array.isArray(result)) return result.some((value) => value !== null && value !== undefined);
  return typeof result !== 'object' || result instanceof Uint8Array || Object.keys(result).length > 0;
}
