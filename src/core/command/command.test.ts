import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCommand, runCommand } from '#core/command';
import { createLogger } from '#core/log';

const log = createLogger({ handlers: [] });

async function run(
  command: Parameters<typeof runCommand>[0],
  ...args: string[]
): Promise<[number, string[]]> {
  const lines: string[] = [];
  const code = await runCommand(command, args, { log, print: (line) => void lines.push(line) });
  return [code, lines];
}

const greet = createCommand(
  'people:greet',
  {
    description: 'Greets somebody.',
    positionals: ['name'],
    options: {
      times: { type: 'string', short: 't', default: '1', description: 'How often' },
      title: { type: 'string', multiple: true },
      from: { type: 'string', required: true },
      loud: { type: 'boolean' },
    },
  },
  ({ options, positionals, print }) => {
    const typed: {
      times: string;
      title: readonly string[] | undefined;
      from: string;
      loud: boolean | undefined;
    } = options;
    print(JSON.stringify([positionals, { ...typed }]));
    return typed.loud === true ? 3 : undefined;
  },
);

describe('commands', () => {
  it('get typed options and positionals, and return the exit code', async () => {
    assert.deepEqual(await run(greet, 'ada', '--from', 'ben'), [0, ['[["ada"],{"from":"ben","times":"1"}]']]);
    const [code, lines] = await run(
      greet,
      '--from=x',
      '-t',
      '2',
      '--title',
      'Dr',
      '--title',
      'Prof',
      '--loud',
    );
    assert.equal(code, 3);
    assert.deepEqual(JSON.parse(lines[0] ?? ''), [
      [],
      { times: '2', title: ['Dr', 'Prof'], from: 'x', loud: true },
    ]);
  });

  it('refuse invalid arguments, with their usage', async () => {
    for (const [args, problem] of [
      [[], /--from is missing/],
      [['--from', 'x', '--nix'], /^Unknown option '--nix'\.$/],
      [['--from', 'x', 'a', 'b'], /"b" is one argument too many/],
      [['--from', 'x', '--loud=yes'], /loud/],
    ] as const)
      await assert.rejects(
        () => run(greet, ...args),
        (error: Error & { code?: string; fix?: string }) =>
          error.code === 'COMMAND_BAD_ARGUMENTS' &&
          problem.test(error.message) &&
          /lookback people:greet \[name\]/.test(error.fix ?? ''),
      );
  });

  it('describe themselves', async () => {
    const [code, lines] = await run(greet, '--help');
    assert.equal(code, 0);
    assert.deepEqual(lines.join('\n').split('\n'), [
      'Usage: lookback people:greet [name] [--times VALUE] [--title VALUE] --from VALUE [--loud]',
      '',
      'Greets somebody.',
      '',
      '  -t, --times              How often',
      '  --title',
      '  --from',
      '  --loud',
    ]);
    const plain = createCommand('tidy', { description: 'Tidies up.' }, () => {});
    assert.deepEqual(await run(plain, '--help'), [0, ['Usage: lookback tidy\n\nTidies up.']]);
  });

  it('accept any number of values for a last argument with …, and otherwise exactly the declared ones', async () => {
    const rest = createCommand(
      'add',
      { description: '', positionals: ['to', 'name…'] },
      ({ positionals }) => positionals.length,
    );
    assert.deepEqual(await run(rest, 'a', 'b', 'c', 'd'), [4, []]);
    const two = createCommand('move', { description: '', positionals: ['from', 'to'] }, () => 'moved');
    assert.deepEqual(await run(two, 'a', 'b'), [0, []]);
    await assert.rejects(run(two, 'a', 'b', 'c'), { message: '"c" is one argument too many.' });
  });

  it('have names that can be typed in a shell', () => {
    for (const name of ['', 'Import', 'a b', ':a', 'a:', '--x', '1a'])
      assert.throws(
        () => createCommand(name, { description: '' }, () => {}),
        { code: 'COMMAND_BAD_NAME' },
        name,
      );
  });
});
