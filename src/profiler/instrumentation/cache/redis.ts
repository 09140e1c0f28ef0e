import { channel } from 'node:diagnostics_channel';
import { undoAll } from '#core/patches';
import { listenToOperations, type OperationListener } from '../source/listen-to.js';
import { type Moment, runAtMoment } from '../source/moment.js';
import { fieldOf, listField, textField } from '../source/fields.js';

const commands = channel('lookback:cache:command');
/** Commands whose reply shows whether the key was found. */
const readCommands =
  /^(?:GET|GETEX|GETDEL|HGET|HGETALL|MGET|HMGET|EXISTS|LINDEX|SISMEMBER|ZSCORE|JSON\.GET)$/;

/**
 * Listens to ioredis 6 and redis 6, without recording written values. In redis messages, the first argument is the
 * command.
 */
export function listenToRedis(): () => void {
  const begin: OperationListener = (message, moment) => {
    const list = listField(message, 'args');
    const command = textField(message, 'command').toUpperCase();
    const isRepeated = typeof list[0] === 'string' && list[0].toUpperCase() === command;
    return beginCommand(moment, command, isRepeated ? list.slice(1) : list);
  };
  return undoAll([
    listenToOperations('ioredis:command', begin),
    listenToOperations('node-redis:command', begin),
    listenToOperations('node-redis:batch', (message, moment) => {
      const size = Number(fieldOf(message, 'batchSize'));
      // A pipeline's commands are published individually.
      if (textField(message, 'batchMode') !== 'MULTI') return undefined;
      return beginCommand(moment, 'MULTI', [`${size} ${size === 1 ? 'command' : 'commands'}`]);
    }),
  ]);
}

/** Publishes a command when it begins; its message is completed when it ends. */
function beginCommand(moment: Moment, command: string, args: readonly unknown[]): (message: object) => void {
  const { startedAt } = moment;
  const published: Record<string, unknown> = {
    system: 'redis',
    command,
    args,
    startedAt,
    callSite: moment.callSite(),
    isOpen: true,
  };
  runAtMoment(moment, () => commands.publish(published));
  return (message) => {
    published['durationMs'] = performance.now() - startedAt;
    published['isOpen'] = false;
    const error = fieldOf(message, 'error');
    published['error'] = error;
    if (error === undefined && readCommands.test(command))
      published['hit'] = isHit(fieldOf(message, 'result'));
  };
}

/** Returns whether a read command's result shows that the key was found. */
function isHit(result: unknown): boolean {
  if (result === null || result === undefined || result === 0) return false;
  if (Array.isArray(result)) return result.some((value) => value !== null && value !== undefined);
  return typeof result !== 'object' || result instanceof Uint8Array || Object.keys(result).length > 0;
}
