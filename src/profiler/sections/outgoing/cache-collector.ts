import { redactedMark, type Redactor } from '#core/dump';
import type { TimelineEntry } from '../../model/profile-record.js';
import { createCallCollector, type ListeningCollector } from '../create-channel-collector.js';
import { cleanTexts, type CompletedPart, definePart } from '../define-part.js';
import { type CallFacts, callOf, type ChannelMessage, messageText } from '../message-reader.js';

export interface CacheSection {
  readonly commands: readonly CacheCommand[];
  readonly totals: {
    readonly commands: number;
    readonly failed: number;
    readonly hits: number;
    readonly misses: number;
    readonly durationMs: number;
  };
}

export interface CacheCommand extends CallFacts {
  readonly system: string;
  readonly command: string;
  /** Keys and other arguments, but no values; as it is taken, `keyEnd` separates them. */
  readonly args: string;
  /** 1 for a hit, 0 for a miss; null for commands that do not read. */
  readonly hit: number | null;
}

const keyEnd = '\0';
const limits = { commands: 200, args: 200 } as const;

export const cachePart: CompletedPart = definePart<CacheSection>({
  name: 'cache',
  summary: { commands: { kind: 'count', of: ({ totals }) => totals.commands } },
  timeline: ({ commands }) => commands.map(toEntry),
  clean: ({ totals, commands }, redactor) => ({
    totals,
    commands: commands.map(({ args, ...command }) => ({
      ...cleanTexts(command, redactor),
      args: secretCommands.test(command.command)
        ? redactedMark
        : args
            .split(keyEnd)
            .map((key) => cleanKey(key, redactor))
            .join(' ')
            .slice(0, limits.args),
    })),
  }),
});

/** Commands of which an argument may be a secret. */
const secretCommands =
  /^(?:AUTH|HELLO|CONFIG|ACL|EVAL|EVALSHA|EVAL_RO|EVALSHA_RO|FCALL|FCALL_RO|SCRIPT|FUNCTION|MIGRATE)\b/i;

export function createCacheCollector(): ListeningCollector {
  return createCallCollector<CacheSection>({
    part: cachePart,
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

/** Returns the `id` of a command's row by its index. */
export function commandAnchor(place: number): string {
  return `command-${place + 1}`;
}

function toEntry({ command, args, offsetMs, durationMs, hit }: CacheCommand, place: number): TimelineEntry {
  const name = `${command} ${args}`.slice(0, 160);
  const detail = hit === null ? {} : { detail: hit === 1 ? 'hit' : 'miss' };
  return {
    name,
    startMs: offsetMs,
    durationMs,
    category: 'database',
    anchor: commandAnchor(place),
    ...detail,
  };
}

function readCommand(message: ChannelMessage, startedAt: number): CacheCommand {
  const { system, command, args, hit } = message;
  return {
    system: messageText(system, 300),
    command: messageText(command, 300),
    args: keysOf(args),
    hit: typeof hit === 'boolean' ? Number(hit) : null,
    ...callOf(message, startedAt),
  };
}

/** Returns the first keys. None is cut where the list ends, so that its secret is recognised. */
function keysOf(args: unknown): string {
  let keys = '';
  for (const arg of Array.isArray(args) ? args.slice(0, 20) : []) {
    if (keys.length >= limits.args) break;
    const key = typeof arg === 'string' || typeof arg === 'number' ? String(arg) : '?';
    keys += (keys === '' ? '' : keyEnd) + key.slice(0, limits.args);
  }
  return keys;
}

/** Redacts the part of a cache key that follows a secret name: `session:…`. */
function cleanKey(key: string, redactor: Redactor): string {
  const parts = key.split(/([:/|])/);
  const secret = parts.findIndex(
    (name, at) => at % 2 === 0 && at < parts.length - 1 && redactor.isSecretName(name),
  );
  return secret === -1 ? redactor.text(key) : `${parts.slice(0, secret + 2).join('')}${redactedMark}`;
}
