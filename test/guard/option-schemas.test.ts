import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { type AnyOption, checkOptions, type OptionsSchema } from '#core/options';
import { sourceFiles } from './source-files.js';

/** A schema, with the public interface that it describes. */
interface Declared {
  readonly name: string;
  readonly type: string;
  readonly file: string;
}

const declarations = [...sourceFiles('src')].flatMap((file): readonly Declared[] =>
  [...readFileSync(file, 'utf8').matchAll(/^export const (\w+): OptionsSchema<\s*(?:Partial<)?(\w+)/gm)].map(
    ([, name = '', type = '']) => ({ name, type, file }),
  ),
);
const schemas = await Promise.all(
  declarations.map(async (declared) => {
    const loaded = (await import(`#${declared.file.replace(/^src\/(.*)\.tsx?$/, '$1')}`)) as Record<
      string,
      OptionsSchema<object>
    >; // a module of this package
    const schema = loaded[declared.name];
    assert.ok(schema !== undefined, declared.name);
    return { ...declared, schema };
  }),
);

/** A value wrapped by `wrap` is at `path`. */
interface Position {
  readonly path: string;
  readonly type: AnyOption;
  readonly wrap: (value: unknown) => unknown;
}

/** All positions of values in a type. */
function* positionsIn(at: Position): Generator<Position> {
  yield at;
  for (const [name, type] of at.type.parts ?? []) {
    if (name === '|') yield* positionsIn({ ...at, type });
    else if (name === '[]')
      yield* positionsIn({ path: `${at.path}[0]`, type, wrap: (value) => at.wrap([value]) });
    else if (name === '{}')
      yield* positionsIn({ path: `${at.path}.some`, type, wrap: (value) => at.wrap({ some: value }) });
    else
      yield* positionsIn({
        path: at.path === '' ? name : `${at.path}.${name}`,
        type,
        wrap: (value) => at.wrap({ [name]: value }),
      });
  }
}

const revoked = Proxy.revocable({}, {});
revoked.revoke();

/** Values that no option accepts, whatever its type. */
const never: readonly unknown[] = [NaN, -Infinity, Symbol('x'), 10n, Object('10'), Object(10)];
/** Values by kind, which all options of other kinds refuse. */
const byKind: Readonly<Record<string, readonly unknown[]>> = {
  number: [0.5, -1, 0, 7],
  text: ['', '10', 'Infinity', 'true', 'null'],
  flag: [true, false],
  none: [null],
  list: [[], ['10'], [null]],
  object: [{}, new Date(0), new Map(), Promise.resolve(), Object.create(null), new (class Own {})()],
  function: [() => 1, class {}],
};

/** The kinds that a type may accept, according to its description. */
function kindsOf({ takes, parts = [] }: AnyOption): readonly string[] {
  const alternatives = parts.filter(([name]) => name === '|');
  if (alternatives.length > 0) return alternatives.flatMap(([, type]) => kindsOf(type));
  if (takes === 'any value') return Object.keys(byKind);
  if (takes === 'a Standard Schema' || takes.startsWith('an extension')) return ['object', 'function'];
  const [part] = parts;
  if (part !== undefined) return [part[0] === '[]' ? 'list' : 'object'];
  if (/\bnumber\b/.test(takes) || takes === 'a status, such as 201') return ['number'];
  if (takes === 'true or false' || /^(?:true|false)$/.test(takes)) return ['flag'];
  if (takes === 'null') return ['none'];
  if (/^one of \d/.test(takes)) return ['number'];
  if (takes.startsWith('a list')) return ['list'];
  if (takes === 'a function') return ['function'];
  const isObject =
    parts.length > 0 ||
    /^an? (?:object|Date|regular|initialized|extension|listener)\b|^an? [A-Z]\w*$|object$/.test(takes);
  return [isObject ? 'object' : 'text'];
}

/** Numbers outside the described range. */
function outsideOf(takes: string): readonly number[] {
  const [, least] = /at least (-?[\d.]+)/.exec(takes) ?? [];
  const [, from, to] = /from (-?[\d.]+) to ([\d.]+)/.exec(takes) ?? [];
  const [, above] = /above (-?[\d.]+)/.exec(takes) ?? [];
  return [
    ...[least, from].flatMap((end) => (end === undefined ? [] : [Number(end) - 1])),
    ...(to === undefined ? [] : [Number(to) + 1]),
    ...(above === undefined ? [] : [Number(above)]),
    ...(/whole number/.test(takes) ? [1.5] : []),
    ...(takes.includes('or Infinity') ? [] : [Infinity]),
  ];
}

function refusalOf(
  options: unknown,
  schema: AnyOption,
): { code: string; message: string; fix: string } | undefined {
  try {
    checkOptions('x', options, schema);
    return undefined;
  } catch (error) {
    return error as ReturnType<typeof refusalOf>; // an assertion below checks its code
  }
}

const positions = schemas.flatMap(({ name, schema }) =>
  [...positionsIn({ path: '', type: schema, wrap: (value) => value })].map((position) => ({
    ...position,
    schema,
    where: `${name}: ${position.path}`,
  })),
);

describe('every option of every schema', () => {
  it('refuses generated wrong values of each kind, and names its path', () => {
    assert.ok(schemas.length > 60, `only ${schemas.length} schemas were found`);
    assert.ok(positions.length > 400, `only ${positions.length} options were found`);
    let checked = 0;
    for (const { path, wrap, schema, where } of positions) {
      if (path === '') continue;
      const types = positions
        .filter((one) => one.schema === schema && one.path === path)
        .map(({ type }) => type);
      const kinds = new Set(types.flatMap(kindsOf));
      if (types.some(({ takes }) => takes === 'any value')) continue;
      const wrong = [
        ...never,
        ...Object.entries(byKind).flatMap(([kind, values]) => (kinds.has(kind) ? [] : values)),
        ...(kinds.size === 1 && kinds.has('number') ? types.flatMap(({ takes }) => outsideOf(takes)) : []),
      ];
      for (const value of wrong) {
        const isObjectLike = typeof value === 'object' && value !== null;
        if (isObjectLike && kinds.has('object')) continue;
        const refusal = refusalOf(wrap(value), schema);
        const shown = `${where} = ${inspect(value, { depth: 0 })}`;
        assert.equal(refusal?.code, 'OPTIONS_BAD_VALUE', `${shown}: ${refusal?.message}`);
        assert.ok(
          refusal?.message.startsWith(`The ${path} option of x is `),
          `${shown}: ${refusal?.message}`,
        );
        assert.match(refusal?.fix ?? '', /^It takes \S/, shown);
        checked++;
      }
    }
    assert.ok(checked > 5000, String(checked));
  });

  it('accepts any value only where other code decides', () => {
    const any = positions.filter(({ type }) => type.takes === 'any value').map(({ where }) => where);
    assert.deepEqual(
      any.filter(
        (where) =>
          !/^fetchSchema: |(?:body|cause|controller|data|default|json|status|target|to)$/.test(where),
      ),
      [],
    );
  });

  it('is refused if misspelt, with its correct name', () => {
    for (const { name: declared, schema } of schemas)
      for (const name of Object.keys(schema.types)) {
        const misspelt = `${name.slice(0, -1)}_${name.slice(-1)}`;
        const refusal = refusalOf({ [misspelt]: 1 }, schema);
        assert.equal(refusal?.code, 'OPTIONS_UNKNOWN', `${declared}: ${name}`);
        assert.ok(
          refusal?.message.includes(`"${name}"`) || name.length < 3,
          `${declared}: ${refusal?.message}`,
        );
      }
  });

  it('accepts its default from the schema and from the documentation', () => {
    let documented = 0;
    for (const { type, file, schema, name } of schemas) {
      const source = readFileSync(file, 'utf8');
      const body = new RegExp(`interface ${type}\\b[^{]*\\{([^]*?)\\n\\}`).exec(source)?.[1] ?? '';
      for (const [option, value] of Object.entries({ ...documentedDefaults(body), ...schema.defaults })) {
        const optionType: AnyOption | undefined = (
          schema.types as Readonly<Record<string, AnyOption | undefined>>
        )[option];
        // A name in the docs stands for a value, such as a constant.
        if (optionType === undefined || (typeof value === 'string' && !kindsOf(optionType).includes('text')))
          continue;
        documented++;
        assert.equal(optionType.check(value), undefined, `${name}.${option}: ${String(value)}`);
      }
    }
    assert.ok(documented > 60, String(documented));
  });
});

/** The numbers, flags and texts that docstrings give as defaults. */
function documentedDefaults(body: string): Readonly<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const [, comment = '', name = ''] of body.matchAll(
    /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*readonly (\w+)\??:/g,
  )) {
    const text = /\bDefault:? (`[^`]+`|[\d,.]+(?: [KM]iB)?|true|false)(?=[.;:,\s]|$)/
      .exec(comment)?.[1]
      ?.replace(/[.,]$/, '');
    // Variables and expressions are not values.
    if (text === undefined || /^`[A-Z_]+`$|[()<]/.test(text)) continue;
    found[name] = valueOf(text);
  }
  return found;
}

function valueOf(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text.startsWith('`')) return text.slice(1, -1).replace(/^'(.*)'$/, '$1');
  const [digits = '', unit = ''] = text.split(' ');
  return Number(digits.replaceAll(',', '')) * (unit === 'MiB' ? 1_048_576 : unit === 'KiB' ? 1024 : 1);
}
