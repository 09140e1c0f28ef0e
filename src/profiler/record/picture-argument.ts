import { isProxy } from 'node:util/types';
import type { Redactor } from '#dump';
import { classNameOf, dump } from '#dump';
import { SharedPicture } from './shared-picture.js';
import type { WordReader } from './word-reader.js';
import type { WordWriter } from './word-writer.js';
import { readPicture, writePicture } from './picture-tape.js';
import type { Picture } from '#dump';

/** Objects of the framework's own that would only repeat the record. */
const opaque = new Set(['HttpRequest', 'HttpResponse', 'ControllerContext', 'Scope', 'Request', 'Response']);
/** Objects that do something rather than hold something: what is inside of them says nothing of a request. */
const service = /(?:EntityManager|Repository|Service|Logger)$/;
const limits = { depth: 4, entries: 30, text: 500, nodes: 200, bytes: 8192, milliseconds: 2 };

const kind = { undefined: 0, null: 1, true: 2, false: 3, number: 4, string: 5, picture: 7 } as const;

/** A value as it is kept until the record is written: itself where it cannot change, else its picture. */
export type TakenValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | SharedPicture
  | { readonly picture: Picture };

/** Takes a value as it is now. Simple ones are taken as they are: most arguments and parameters are. */
export function takeValue(value: unknown, redactor: Redactor): TakenValue {
  switch (typeof value) {
    case 'string':
      return redactor.text(value.length > 2000 ? value.slice(0, 2000) : value);
    case 'number':
    case 'boolean':
    case 'undefined':
      return value;
    default:
      break;
  }
  if (value === null) return null;
  return (
    (typeof value === 'object' ? findOpaque(value) : undefined) ?? {
      picture: dump(value, { ...limits, redactor }),
    }
  );
}

/** By prototype, how objects of opaque classes are shown; null for other classes. */
const shown = new WeakMap<object, SharedPicture | null>();

function findOpaque(value: object): SharedPicture | undefined {
  if (isProxy(value)) return undefined;
  const prototype = Object.getPrototypeOf(value) as object | null; // any in the library's type; no trap of a Proxy
  if (prototype === null) return undefined;
  let known = shown.get(prototype);
  if (known === undefined) {
    const name = classNameOf(value);
    known =
      opaque.has(name) || service.test(name)
        ? new SharedPicture({ type: 'object', text: name, cut: 'depth' })
        : null;
    shown.set(prototype, known);
  }
  return known ?? undefined;
}

export function writeValue(pack: WordWriter, value: TakenValue): void {
  if (value === undefined) return pack.number(kind.undefined);
  if (value === null) return pack.number(kind.null);
  if (typeof value === 'boolean') return pack.number(value ? kind.true : kind.false);
  if (typeof value === 'object') {
    pack.number(kind.picture);
    return writePicture(pack, value.picture);
  }
  pack.number(typeof value === 'number' ? kind.number : kind.string);
  pack.string(typeof value === 'number' ? (Object.is(value, -0) ? '-0' : String(value)) : value);
}

export function readValue(pack: WordReader): Picture {
  switch (pack.number()) {
    case kind.undefined:
      return { type: 'undefined', text: 'undefined' };
    case kind.null:
      return { type: 'null', text: 'null' };
    case kind.true:
      return { type: 'boolean', text: 'true' };
    case kind.false:
      return { type: 'boolean', text: 'false' };
    case kind.number:
      return { type: 'number', text: pack.string() };
    case kind.string:
      return { type: 'string', text: pack.string() };
    default:
      return readPicture(pack);
  }
}
