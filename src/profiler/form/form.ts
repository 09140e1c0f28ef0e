import type { Form } from '../model/section-part.js';
import type { PackWriter } from '../pack/pack-writer.js';
import type { PieceReader } from '../pack/pack-reader.js';
import { type Kind, kinds, type KindTypes } from './kinds.js';

type DataOf<F, Side extends 0 | 1> = F extends keyof KindTypes
  ? KindTypes[F][Side]
  : F extends readonly ['?', infer Inner]
    ? DataOf<Inner, Side> | null
    : F extends readonly [infer Inner]
      ? readonly DataOf<Inner, Side>[]
      : { readonly [Name in keyof F]: DataOf<F[Name], Side> };

/** Type of the data that a form writes. */
export type InputOf<F> = DataOf<F, 0>;
/** Type of the data that a form reads. */
export type OutputOf<F> = DataOf<F, 1>;

const maxDepth = 16;

/** Compiles a form to its writer and reader. Throws a RangeError if the form is invalid. */
export function compileForm<const F extends Form>(form: F): Kind<InputOf<F>, OutputOf<F>> {
  return compile(form, 0) as Kind<InputOf<F>, OutputOf<F>>; // the compiled form has the types that the form declares
}

/** Compiles a form that is only known at run time. Throws a RangeError if the form is invalid. */
export function compileAnyForm(form: Form): Kind<unknown, unknown> {
  return compile(form, 0);
}

function compile(form: Form, depth: number): Kind<unknown, unknown> {
  if (depth > maxDepth) throw new RangeError('A form is too deep.');
  if (typeof form === 'string') {
    if (!Object.hasOwn(kinds, form)) throw new RangeError(`The kind of field "${form}" does not exist.`);
    return kinds[form as keyof KindTypes] as Kind<unknown, unknown>; // each kind checks its input
  }
  if (!isList(form)) return fieldsOf(form, depth);
  const [first, second] = form;
  return first === '?' && second !== undefined
    ? orNull(compile(second, depth + 1))
    : listOf(compile(first, depth + 1));
}

function isList(form: Form): form is readonly [Form] | readonly ['?', Form] {
  return Array.isArray(form);
}

function orNull({ write, read }: Kind<unknown, unknown>): Kind<unknown, unknown> {
  return {
    write(out, value) {
      const isPresent = value !== null && value !== undefined;
      out.number(isPresent ? 1 : 0);
      if (isPresent) write(out, value);
    },
    read: (from) => (from.number() === 0 ? null : read(from)),
  };
}

function listOf({ write, read }: Kind<unknown, unknown>): Kind<unknown, unknown> {
  return {
    write(out, value) {
      const items: readonly unknown[] = Array.isArray(value) ? value : [];
      out.number(items.length);
      for (let at = 0; at < items.length; at++) write(out, items[at]);
    },
    read: (from) => Array.from({ length: from.count() }, () => read(from)),
  };
}

function fieldsOf(form: { readonly [field: string]: Form }, depth: number): Kind<unknown, unknown> {
  const names = Object.keys(form);
  // A form without fields takes no bytes; the length check of a list would take a list of it for damage.
  if (names.length === 0) throw new RangeError('A form needs at least one field.');
  const fields = names.map((name) => ({ name, ...compile(form[name] ?? 'value', depth + 1) }));
  return {
    write(out: PackWriter, value: unknown) {
      const data = (value ?? {}) as Readonly<Record<string, unknown>>; // anything but an object has no fields
      for (const { name, write } of fields) write(out, data[name]);
    },
    read(from: PieceReader) {
      const data: Record<string, unknown> = {};
      for (const { name, read } of fields) {
        const value = read(from);
        // Assignment would treat a field `__proto__` specially.
        Object.defineProperty(data, name, { value, enumerable: true, configurable: true, writable: true });
      }
      return data;
    },
  };
}
