import { isProxy } from 'node:util/types';
import { errorMessage, errorName } from './read-thrown.js';

/** Class and message of a thrown value in one line, read without running anything of it; bounded, not redacted. */
export function describeThrown(error: unknown): string {
  if (typeof error === 'function') return 'a function'; // its toString could be foreign
  if (typeof error !== 'object' || error === null) return `${typeof error}: ${String(error).slice(0, 1000)}`;
  if (isProxy(error)) return 'Proxy';
  const name = errorName(error);
  const message = errorMessage(error);
  return message === '' ? name : `${name}: ${message.slice(0, 1000)}`;
}
