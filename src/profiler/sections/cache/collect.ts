import { createCallCollector } from '../collect-messages.js';
import type { CollectedSection } from '../section.js';
import { type ChannelMessage, callOf, messageText, positiveNumber } from '../message-reader.js';
import { type CacheCommand, type CacheSection, cacheDefinition, keyEnd, limits } from './section.js';

export function createCacheCollector(): CollectedSection {
  return createCallCollector<CacheSection>({
    definition: cacheDefinition,
    channel: 'lookback:cache:command',
    maxCalls: limits.commands,
    section(kept, startedAt) {
      const commands = kept.messages.map((message) => readCommand(message, startedAt));
      const count = (test: (command: CacheCommand) => boolean): number => commands.filter(test).length;
      return {
        commands,
        totals: {
          commands: commands.length + kept.more,
          failed: count(({ error }) => error !== null),
          hits: count(({ hit }) => hit === 1),
          misses: count(({ hit }) => hit === 0),
          durationMs: commands.reduce((sum, { durationMs }) => sum + durationMs, 0),
        },
      };
    },
  });
}

function readCommand(message: ChannelMessage, startedAt: number): CacheCommand {
  const { system, command, args, hit } = message;
  return {
    system: messageText(system, 300),
    command: messageText(command, 300),
    args: keysOf(args),
    hit: typeof hit === 'boolean' ? Number(hit) : null,
    ...callOf(message, startedAt),
    ...(message['isOpen'] === true
      ? { isOpen: true as const, durationMs: performance.now() - positiveNumber(message['startedAt']) }
      : {}),
  };
}

/** Joins the first keys. A key at the end of the list stays whole, so that redaction can recognise a secret in it. */
function keysOf(args: unknown): string {
  let keys = '';
  for (const arg of Array.isArray(args) ? args.slice(0, 20) : []) {
    if (keys.length >= limits.args) break;
    const key = typeof arg === 'string' || typeof arg === 'number' ? String(arg) : '?';
    keys += (keys === '' ? '' : keyEnd) + key.slice(0, limits.args);
  }
  return keys;
}
