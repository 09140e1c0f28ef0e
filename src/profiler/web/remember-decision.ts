import { rememberAnswer } from '#http';
import type { AccessGuard } from './access.js';

/** The same guard, with its last decision kept, for requests whose target is a path. */
export function rememberDecision(guard: AccessGuard): AccessGuard {
  const remembered = rememberAnswer(guard);
  return (request) => {
    const { source } = request;
    const isPath = source.authority === undefined && source.target.startsWith('/');
    return isPath ? remembered(request) : guard(request);
  };
}
