import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { runInThisContext } from 'node:vm';
import { renderSnapshotText } from '#core/dump';
import { observeScopes } from '#core/scope';
import { createSourceLoader } from '../source/create-source-loader.js';
import { flattenError } from './flatten-error.js';
import { watchLocalVariables } from './local-variables.js';

const options = { sources: createSourceLoader(), libraryFolders: [] };
let stop = (): void => undefined;

/** Each frame's local variables, if it has any, as text on one line. */
function localsOf(thrown: unknown): readonly string[] {
  const [error] = flattenError(thrown, options).errors;
  return (error?.frames ?? []).flatMap(({ function: name, locals }) =>
    locals === undefined ? [] : [`${name} ${renderSnapshotText(locals).replaceAll(/\s+/g, ' ')}`],
  );
}

function caught(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

async function rejected(work: () => Promise<unknown>): Promise<unknown> {
  return work().then(
    () => assert.fail('nothing was thrown'),
    (error: unknown) => error,
  );
}

function charge(total: number, card: { readonly password: string }): never {
  for (const answer of [{ isPaid: false }])
    if (!answer.isPaid) throw new TypeError(`No ${total} ${typeof card}`);
  throw new Error('unreached');
}

function order(lines: number): void {
  const total = lines * 2;
  charge(total, { password: 'canary-1' });
}

// `test/groups.json` gives this file its own process: before Node 24, a script that ran in node:vm ends the watch for good.
describe('local variables when an error is thrown', () => {
  // The tests are part of this package, whose code counts as library code.
  before(() => void (stop = watchLocalVariables({ libraryFolders: [] })));
  after(() => stop());

  it('are shown for each application call that led to it, without secrets', () => {
    const [inner, outer] = localsOf(caught(() => order(3)));
    assert.match(
      inner ?? '',
      /^charge \{ answer: \{ isPaid: false \} total: 6 card: \{ password: \[redacted\] \} \}/,
    );
    assert.match(outer ?? '', /^order \{ lines: 3 total: 6 \}/);
  });

  it('are those at the throw, not later ones', () => {
    const list = [1];
    const error = caught(() => {
      const seen = list;
      throw new Error(`${seen.length}`);
    });
    list.push(2);
    assert.match(localsOf(error).join(), /seen: Array\(1\) \[ 1 \]/);
  });

  it('stay those at the first throw if the error is thrown again', () => {
    const error = caught(() => {
      const first = 1;
      try {
        throw new Error(`${first}`);
      } catch (again) {
        const second = 2;
        assert.equal(second, 2);
        throw again;
      }
    });
    assert.match(localsOf(error).join(), /first: 1/);
    assert.doesNotMatch(localsOf(error).join(), /second/);
  });

  it('exist for errors thrown by an asynchronous function after an await', async () => {
    const error = await rejected(async () => {
      const before = 'await';
      await Promise.resolve();
      throw new Error(before);
    });
    assert.match(localsOf(error).join(), /before: "await"/);
  });

  it('exist for errors thrown by the language', () => {
    const error = caught(() => {
      const found: { readonly name: string } | undefined = JSON.parse('{}').none;
      const id = 17;
      return `${found!.name} ${id}`; // oxlint-disable-line typescript/no-non-null-assertion -- the error that this test needs
    });
    assert.match(localsOf(error).join(), /id: 17/);
  });

  it('run no getter and no trap', () => {
    let runs = 0;
    const error = caught(() => {
      const odd = {
        get trap() {
          runs++;
          return 1;
        },
      };
      const proxy = new Proxy({}, { ownKeys: () => (runs++, []) });
      throw new Error(typeof odd + typeof proxy);
    });
    assert.match(localsOf(error).join(), /\[getter, not run\]/);
    assert.equal(runs, 0);
  });

  it('are missing after many throws within a second', () => {
    const errors = Array.from({ length: 200 }, () => caught(() => order(1)));
    assert.deepEqual(localsOf(errors.at(-1)), []);
  });
});

describe('local variables in a function that throws often', () => {
  before(() => void (stop = watchLocalVariables({ libraryFolders: [] })));
  after(() => stop());

  it('are captured for its first five throws; V8 does not pause for later ones', () => {
    // Since Node 22, V8 pauses if any function between throw and catch is not skipped.
    function parse(text: string): unknown {
      const wanted = text;
      try {
        return JSON.parse(wanted);
      } catch (error) {
        return error;
      }
    }
    const other = (): never => {
      const still = 'taken';
      throw new Error(still);
    };
    let pauses = 0;
    observeScopes({ enter: () => undefined, leave: () => undefined, own: () => void pauses++ });
    const found = Array.from({ length: 7 }, () => parse('{x'));
    observeScopes(undefined);
    assert.equal(pauses, 5);
    assert.match(localsOf(caught(other)).join(), /still: "taken"/);
    const started = performance.now();
    for (let time = 0; time < 1000; time++) parse('{x');
    const each = (performance.now() - started) / 1000;
    assert.deepEqual(
      found.map((error) => localsOf(error).length > 0),
      [true, true, true, true, true, false, false],
    );
    // A pause takes more than 2 ms.
    assert.ok(each < 1, String(each));
    const [error] = flattenError(found[6], options).errors;
    assert.match(
      error?.frames.find(({ kind }) => kind === 'app')?.note ?? '',
      /^Local variables are missing/,
    );
  });
});

describe('local variables', () => {
  const program = (source: string, flags: readonly string[] = []): string => {
    const url = JSON.stringify(new URL('./local-variables.js', import.meta.url).href);
    const text = `import { watchLocalVariables, withLocals } from ${url};
      const load = () => 'none', sources = { load, findOriginal: () => undefined };
      const seen = (thrown) => withLocals([{ path: process.argv[1] ?? '', line: 0, function: 'f' }], thrown, sources);
      ${source}`;
    const run = spawnSync(process.execPath, [...flags, '--input-type=module', '--eval', text], {
      encoding: 'utf8',
    });
    assert.equal(run.status, 0, run.stderr);
    return run.stdout.trim();
  };

  it('are not captured if a debugger can attach', () => {
    const source = `
            import { Session } from 'node:inspector';
      let pauses = 0;
      const other = new Session();
      other.connect();
      other.on('Debugger.paused', () => pauses++);
      other.post('Debugger.enable');
      watchLocalVariables();
      try { throw new Error('x'); } catch {}
      console.log(pauses);
      process.exit(0);`;
    assert.equal(program(source), '1');
    assert.equal(program(source, ['--inspect=0']), '0');
  });

  it('keep nothing alive once the error is gone: neither the error nor values in its calls', () => {
    const source = `
      watchLocalVariables({ libraryFolders: [] });
      const kept = [];
      function fail() {
        const held = { text: 'a'.repeat(100) };
        kept.push(new WeakRef(held));
        const error = new Error('x ' + held.text);
        kept.push(new WeakRef(error));
        throw error;
      }
      for (let time = 0; time < 5; time++) try { fail(); } catch {}
      for (let turn = 0; turn < 50 && kept.some((one) => one.deref()); turn++) { await new Promise(setImmediate); gc(); }
      console.log(kept.filter((one) => one.deref()).length);
      process.exit(0);`;
    assert.equal(program(source, ['--expose-gc']), '0');
  });

  // Last, because the script ends the watch of this process for good; the next test has a process of its own.
  it('are missing before Node 24 once the program has run a script in node:vm, and the frame says why', () => {
    const end = watchLocalVariables({ libraryFolders: [] });
    runInThisContext('1 + 1', { filename: 'template.js' });
    const late = caught(() => {
      const seen = 1;
      throw new Error(`${seen}`);
    });
    const own = flattenError(late, options).errors[0]?.frames.find(({ kind }) => kind === 'app');
    end();
    const isEnded = Number.parseInt(process.versions.node) < 24;
    assert.equal(own?.locals === undefined, isEnded);
    assert.equal(/: before Node 24, .*node:vm/.test(own?.note ?? ''), isEnded);
  });

  it('do not keep a process alive, and stop without a trace', () => {
    const source = `
      const stop = watchLocalVariables();
      try { throw new Error('x'); } catch {}
      stop();
      console.log(Object.getOwnPropertyNames(globalThis).filter((name) => name.startsWith('lookback')).length);`;
    assert.equal(program(source), '0');
  });
});
