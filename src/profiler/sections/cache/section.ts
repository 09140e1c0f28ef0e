import { type Redactor, redactSecret, redactedMark } from '#core/dump';
import type { TimelineEntry } from '../../model/profile-record.js';
import { type SectionDefinition, cleanTexts, defineSection } from '../define-section.js';
import type { CallFacts } from '../message-reader.js';

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
  /** Keys and other arguments, but no values; separated by `keyEnd` when collected. */
  readonly args: string;
  /** 1 for a hit, 0 for a miss; null for commands that do not read. */
  readonly hit: number | null;
  /** No answer had arrived when the record was made; the duration is the time until then. */
  readonly isOpen?: true;
}

export const keyEnd = '\0';

export const cacheDefinition: SectionDefinition = defineSection<CacheSection>({
  id: 'cache',
  numbers: { commands: { kind: 'count', of: ({ totals }) => totals.commands } },
  timeline: ({ commands }) => commands.map(toEntry),
  steps: {
    rows: 'commands',
    one: (command) => `1 cache command (${command})`,
    all: 'Cache commands',
    combined: '{n} cache commands combined',
  },
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

/** Commands whose arguments may contain secrets. */
const secretCommands =
  /^(?:AUTH|HELLO|CONFIG|ACL|EVAL|EVALSHA|EVAL_RO|EVALSHA_RO|FCALL|FCALL_RO|SCRIPT|FUNCTION|MIGRATE)\b/i;

/** Returns a command row's `id` by index. */
export function commandAnchor(index: number): string {
  return `command-${index + 1}`;
}

function toEntry(
  { command, args, offsetMs, durationMs, hit, isOpen }: CacheCommand,
  index: number,
): TimelineEntry {
  const name = `${command} ${args}`.slice(0, 160);
  const detail = hit === null ? {} : { detail: hit === 1 ? 'hit' : 'miss' };
  return {
    name,
    startMs: offsetMs,
    durationMs,
    category: 'database',
    anchor: commandAnchor(index),
    ...detail,
    ...(isOpen ? { open: true as const } : {}),
  };
}

/** Redacts the text after a secret name in a cache key: `session:…`. */
function cleanKey(key: string, redactor: Redactor): string {
  const parts = key.split(/([:/|])/);
  const secret = parts.findIndex(
    (name, at) => at % 2 === 0 && at < parts.length - 1 && redactor.isSecretName(name),
  );
  return secret === -1
    ? redactor.text(key)
    : parts.slice(0, secret + 2).join('') + redactSecret(parts.slice(secret + 2).join(''));
}

export const limits = { commands: 200, args: 200 } as const;
