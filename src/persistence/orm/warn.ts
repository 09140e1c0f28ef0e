import type { CodedError } from '#coded-error';
import type { Logger } from '#log';

/** Reports an error with its fix: to the log on the channel `persistence`, or as a process warning of Node. */
export function warn(error: CodedError, facts: object, log: (() => Logger) | undefined): void {
  const { message, code, fix = '' } = error;
  if (log === undefined) process.emitWarning(message, { type: 'PersistenceWarning', code, detail: fix });
  else
    log()
      .channel('persistence')
      .warning(`${message} ${fix}`, { code, ...facts });
}
