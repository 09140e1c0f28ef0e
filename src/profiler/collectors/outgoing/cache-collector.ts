import { redactedMark, type Redactor } from '#dump';
import type { TimelineEntry } from '../../model/profile-record.js';
import type { ChannelMessage, ListeningCollector } from '../create-channel-collector.js';
import { type CompletedPart, definePart } from '../define-part.js';
import { type CallFacts, MessageReader } from '../message-reader.js';
import { createCallCollector } from './create-call-collector.js';

/** The `cache` section of a record. */
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
  /** Keys and other arguments, but no values. */
  readonly args: string;
  /** 1 for a hit, 0 for a miss; null for commands that do not read. */
  readonly hit: number | null;
}

const limits = { commands: 200, args: 200 } as const;

export const cachePart: CompletedPart = definePart<CacheSection>({
  summary: { commands: { kind: 'count', of: ({ totals }) => totals.commands } },
  timeline: ({ commands }) => commands.map(toEntry),
});

/** Creates the `cache` collector of commands that a request sends to caches. */
export function createCacheCollector(redactor: Redactor): ListeningCollector {
  const reader = new MessageReader(redactor);
  return createCallCollector<CacheSection>({
    name: 'cache',
    part: cachePart,
    channel: 'lookback:cache:command',
    maxCalls: limits.commands,
    section(kept, startedAt) {
      const commands = kept.messages.map((message) => readCommand(message, reader, startedAt));
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

function readCommand(message: ChannelMessage, reader: MessageReader, startedAt: number): CacheCommand {
  const args: readonly unknown[] = Array.isArray(message['args']) ? message['args'].slice(0, 20) : [];
  const isSecret =
    /^(?:AUTH|HELLO|CONFIG|ACL|EVAL|EVALSHA|EVAL_RO|EVALSHA_RO|FCALL|FCALL_RO|SCRIPT|FUNCTION|MIGRATE)\b/i.test(
      reader.word(message['command']),
    );
  const { hit } = message;
  return {
    system: reader.word(message['system']),
    command: reader.word(message['command']),
    args: isSecret
      ? redactedMark
      : args
          .map((arg) => cleanKey(arg, reader.redactor))
          .join(' ')
          .slice(0, limits.args),
    hit: typeof hit === 'boolean' ? Number(hit) : null,
    ...reader.call(message, startedAt),
  };
}

/** Redacts the part of a cache key that follows a secret name: `session:…`. */
function cleanKey(arg: unknown, redactor: Redactor): string {
  const key = typeof arg === 'string' || typeof arg === 'number' ? String(arg).slice(0, limits.args) : '?';
  const parts = key.split(/([:/|])/);
  const secret = parts.findIndex(
    (name, at) => at % 2 === 0 && at < parts.length - 1 && redactor.isSecretName(name),
  );
  return secret === -1 ? redactor.text(key) : `${parts.slice(0, secret + 2).join('')}${redactedMark}`;
}
