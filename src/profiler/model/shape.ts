import type { ErrorReport } from '#core/errors';
import type { Snapshot } from '#core/dump';
import type { MatchTrace } from '#core/routing';

export type Schema = Readonly<Record<string, unknown>>;

/** Types described elsewhere, or that need more than one keyword. */
interface NamedTypes {
  text: string;
  number: number;
  /** An integer ≥ 0. */
  count: number;
  /** Milliseconds since the epoch. */
  time: number;
  flag: boolean;
  /** Only `true`; the field is absent otherwise. */
  true: true;
  /** Lowercase hexadecimal. */
  token: string;
  object: Readonly<Record<string, unknown>>;
  numbers: Readonly<Record<string, number>>;
  settings: Readonly<Record<string, string | number | boolean>>;
  /** Names and values, in order. */
  pairs: readonly (readonly [name: string, value: string])[];
  snapshot: Snapshot;
  report: ErrorReport;
  trace: MatchTrace;
  chain: unknown;
  summary: unknown;
}

/**
 * Shape of JSON data, itself plain data, from which both the type and the JSON Schema are derived: a named type, the
 * choices for a text (`'=http|https'`), a list (`[shape]`), a nullable shape (`['?', shape]`), or an object. Fields
 * whose name ends in `?` are optional.
 */
export type Shape =
  | keyof NamedTypes
  | `=${string}`
  | readonly [Shape]
  | readonly ['?', Shape]
  | { readonly [field: string]: Shape };

type ChoicesOf<Text> = Text extends `${infer First}|${infer Rest}` ? First | ChoicesOf<Rest> : Text;
type Plain<Data> = { [Name in keyof Data]: Data[Name] };

export type DataOf<S> = S extends keyof NamedTypes
  ? NamedTypes[S]
  : S extends `=${infer Choices}`
    ? ChoicesOf<Choices>
    : S extends readonly ['?', infer Inner]
      ? DataOf<Inner> | null
      : S extends readonly [infer Item]
        ? readonly DataOf<Item>[]
        : Plain<
            {
              readonly [Name in keyof S as Name extends `${string}?` ? never : Name]: DataOf<S[Name]>;
            } & {
              readonly [Name in keyof S as Name extends `${infer Bare}?` ? Bare : never]?: DataOf<S[Name]>;
            }
          >;

const named: Readonly<Record<keyof NamedTypes, Schema>> = {
  text: { type: 'string' },
  number: { type: 'number' },
  count: { type: 'integer', minimum: 0 },
  time: { type: 'number' },
  flag: { type: 'boolean' },
  true: { const: true },
  token: { type: 'string', pattern: '^[0-9a-f]{6,32}$' },
  object: { type: 'object' },
  numbers: { type: 'object', additionalProperties: { type: 'number' } },
  settings: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
  pairs: {
    type: 'array',
    items: {
      type: 'array',
      prefixItems: [{ type: 'string' }, { type: 'string' }],
      items: false,
      minItems: 2,
    },
  },
  snapshot: { $ref: '#/$defs/snapshot' },
  report: { $ref: '#/$defs/report' },
  trace: { $ref: '#/$defs/trace' },
  chain: { $ref: '#/$defs/chain' },
  summary: { $ref: '#/$defs/summary' },
};

/**
 * Returns a shape's JSON Schema. `snapshot`, `report`, `trace`, `chain` and `summary` refer to `$defs` in the same
 * document.
 */
export function schemaOf(shape: Shape): Schema {
  if (typeof shape === 'string') return isChoice(shape) ? { enum: shape.slice(1).split('|') } : named[shape];
  if (isNullable(shape)) return { anyOf: [schemaOf(shape[1]), { type: 'null' }] };
  if (isList(shape)) return { type: 'array', items: schemaOf(shape[0]) };
  const fields = Object.entries(shape);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, inner]) => [name.replace('?', ''), schemaOf(inner)])),
    required: fields.flatMap(([name]) => (name.endsWith('?') ? [] : [name])),
    additionalProperties: false,
  };
}

function isChoice(shape: string): shape is `=${string}` {
  return shape.startsWith('=');
}

function isNullable(shape: Shape): shape is readonly ['?', Shape] {
  return Array.isArray(shape) && shape[0] === '?';
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}
