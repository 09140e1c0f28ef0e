import { type Command, createCommand } from '#command';
import type { CliOutput } from '../command-line/cli-output.js';
import { UsageError } from '../command-line/usage-error.js';

interface Word {
  readonly name: string;
  readonly description: string;
  /** Names of options, without dashes. */
  readonly options: readonly string[];
  /** Possible first arguments: `check`, `prune`. */
  readonly actions: readonly string[];
}

/** Commands that an application may declare. */
const others: readonly Word[] = [
  { name: 'run', description: 'A command of the application', options: ['app'], actions: [] },
  {
    name: 'db',
    description: 'Migrations and seeds',
    options: [],
    actions: ['migrate', 'rollback', 'status', 'create', 'seed'],
  },
];

/** `lookback completion bash|zsh|fish`. */
export function completionCommand(
  findCommands: () => Promise<readonly Command[]>,
  output: CliOutput,
): Command {
  return createCommand(
    'completion',
    {
      description: 'Prints a script that completes commands and options: source <(lookback completion bash)',
      positionals: ['bash|zsh|fish'],
    },
    async ({ positionals: [shell] }) => {
      const words = [
        ...others,
        ...(await findCommands()).map(({ name, description, options, positionals: [first = ''] }) => ({
          name,
          description: description.split(/[\n.:]/, 1)[0] ?? '',
          options: Object.keys(options),
          actions: first.includes('|') ? first.split('|').filter((action) => action !== 'name') : [],
        })),
      ];
      if (shell === 'bash' || shell === 'zsh') output.out(shellScript(words, shell));
      else if (shell === 'fish') output.out(fishScript(words));
      else throw new UsageError('Name the shell: bash, zsh or fish.');
    },
  );
}

/** Renders the script for bash; zsh runs the same function. */
function shellScript(words: readonly Word[], shell: 'bash' | 'zsh'): string {
  const cases = words.map(
    ({ name, options, actions }) =>
      `    ${name}) words="${[...actions, ...options.map((option) => `--${option}`)].join(' ')}" ;;`,
  );
  return [
    ...(shell === 'zsh' ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
    '_lookback() {',
    '  local words=""',
    `  if [ "$COMP_CWORD" -eq 1 ]; then words="${words.map(({ name }) => name).join(' ')} help"`,
    '  else case "${COMP_WORDS[1]}" in',
    ...cases,
    '  esac; fi',
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[$COMP_CWORD]}"))',
    '}',
    'complete -o default -F _lookback lookback',
    '',
  ].join('\n');
}

function fishScript(words: readonly Word[]): string {
  const quote = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`;
  return words
    .flatMap(({ name, description, options, actions }) => [
      `complete -c lookback -n __fish_use_subcommand -a ${name} -d ${quote(description)}`,
      ...actions.map(
        (action) => `complete -c lookback -n '__fish_seen_subcommand_from ${name}' -a ${action}`,
      ),
      ...options.map(
        (option) => `complete -c lookback -n '__fish_seen_subcommand_from ${name}' -l ${option}`,
      ),
    ])
    .map((line) => `${line}\n`)
    .join('');
}
