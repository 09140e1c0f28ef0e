import { createInterface } from 'node:readline/promises';
import { basename, resolve } from 'node:path';
import { type Command, createCommand } from '#command';
import type { CliOutput } from '../command-line/cli-output.js';
import { cliErrors } from '../command-line/error-codes.js';
import { UsageError } from '../command-line/usage-error.js';
import { writeProject } from './write-project.js';

/** The choices, the default first. */
const choices = { kind: ['api', 'pages'], database: ['sqlite', 'postgres'] } as const;
const questions = { kind: 'A JSON API or pages?', database: 'Which database?' } as const;

type Choice = keyof typeof choices;

/** `lookback new NAME`: writes an application into a new folder. Prompts on a terminal for what was not given. */
export function newCommand(output: CliOutput): Command {
  return createCommand(
    'new',
    {
      description: 'Creates an application in the folder of that name',
      positionals: ['name'],
      options: {
        kind: { type: 'string', description: choices.kind.join(' or ') },
        database: { type: 'string', description: choices.database.join(' or ') },
        yes: {
          type: 'boolean',
          short: 'y',
          description: 'Use the defaults (api, sqlite) without asking',
        },
      },
    },
    ({ options, positionals: [target] }) => create(target, options, output),
  );
}

/** What the command line says. */
type Given = Readonly<Record<Choice, string | undefined> & Record<'yes', boolean | undefined>>;

async function create(target: string | undefined, given: Given, output: CliOutput): Promise<void> {
  if (target === undefined)
    throw new UsageError('Name the folder of the new application: lookback new my-api');
  const folder = resolve(target);
  const name = basename(folder);
  if (!/^[a-z0-9][a-z0-9._-]{0,200}$/.test(name)) throw cliErrors.create('CLI_BAD_PROJECT_NAME', { name });
  const isAsked = given.yes !== true && process.stdin.isTTY && process.stdout.isTTY;
  const kind = await choose('kind', given.kind, { isAsked });
  const database = await choose('database', given.database, { isAsked });
  const files = writeProject(folder, { name, layers: ['common', kind, database] });
  output.out(
    [
      `${files.length} files are in ${folder}: ${kind === 'api' ? 'a JSON API' : 'pages'} on ${database === 'sqlite' ? 'SQLite' : 'PostgreSQL'}.`,
      '',
      `  cd ${target}`,
      '  npm install',
      ...(database === 'postgres' ? ['  docker compose up -d        # PostgreSQL, unless you have one'] : []),
      '  npm test',
      '  npm run dev',
      '',
    ].join('\n'),
  );
}

async function choose(
  what: Choice,
  given: string | undefined,
  { isAsked }: { readonly isAsked: boolean },
): Promise<string> {
  const words: readonly string[] = choices[what];
  const text = given ?? (isAsked ? await ask(`${questions[what]} (${words.join('/')}) `) : '');
  const answer = text.trim().toLowerCase();
  const found =
    answer === ''
      ? words[0]
      : words.find((word) => word === answer || (given === undefined && word.startsWith(answer)));
  if (found === undefined) throw new UsageError(`--${what} is ${words.join(' or ')}, not "${text}".`);
  return found;
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}
