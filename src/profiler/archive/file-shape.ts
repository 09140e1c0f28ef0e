import type { Schema } from '../model/shape.js';

function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

function fields(members: Readonly<Record<string, Schema>>): Schema {
  const entries = Object.entries(members);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace('?', ''), schema])),
    required: entries.flatMap(([name]) => (name.endsWith('?') ? [] : [name])),
    additionalProperties: false,
  };
}

interface ValueTypes {
  text: string;
  number: number;
  flag: boolean;
  date: string;
  object: Readonly<Record<string, unknown>>;
}

/** Shape of the part of a file that is read: a value, a list, or an object. Fields that end in `?` are optional. */
export type FileShape = keyof ValueTypes | readonly [FileShape] | { readonly [field: string]: FileShape };

/** Type of the data that has a shape. */
export type DataOf<Shape> = Shape extends keyof ValueTypes
  ? ValueTypes[Shape]
  : Shape extends readonly [infer Item]
    ? readonly DataOf<Item>[]
    : { readonly [Name in keyof Shape as Name extends `${string}?` ? never : Name]: DataOf<Shape[Name]> } & {
        readonly [Name in keyof Shape as Name extends `${infer Bare}?` ? Bare : never]?: DataOf<Shape[Name]>;
      };

const values: Readonly<Record<keyof ValueTypes, () => Schema>> = {
  text: () => ({ type: 'string' }),
  number: () => ({ type: 'number' }),
  flag: () => ({ type: 'boolean' }),
  date: () => ({ type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}' }),
  object: () => ({ type: 'object' }),
};

/** Converts a shape to a JSON Schema. */
export function schemaOf(shape: FileShape): Schema {
  if (typeof shape === 'string') return values[shape]();
  if (isList(shape)) return listOf(schemaOf(shape[0]));
  return fields(Object.fromEntries(Object.entries(shape).map(([name, inner]) => [name, schemaOf(inner)])));
}

function isList(shape: FileShape): shape is readonly [FileShape] {
  return Array.isArray(shape);
}
