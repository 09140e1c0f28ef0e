import { isProxy } from 'node:util/types';
import type { Redactor } from '#dump';
import { classNameOf, dump, redactedMark } from '#dump';
import type { TakenValue } from '../pack/values.js';

/** A value under its name. */
export interface TakenNamed {
  readonly name: string;
  readonly value: TakenValue;
}

/** Objects of the framework's own that would only repeat the record. */
const opaqueClasses = new Set([
  'HttpRequest',
  'HttpResponse',
  'ControllerContext',
  'Scope',
  'Request',
  'Response',
]);
/** Objects that do something rather than hold something: what is inside of them says nothing of a request. */
const servicePattern = /(?:EntityManager|Repository|Service|Logger)$/;
const limits = { depth: 4, entries: 30, text: 500, nodes: 200, bytes: 8192, milliseconds: 2 };

/** Takes a value as it is now: itself where it cannot change, which most arguments and parameters are, else its picture. */
export function takeValue(value: unknown, redactor: Redactor): TakenValue {
  switch (typeof value) {
    case 'string':
      return value.length > limits.text ? dump(value, { ...limits, redactor }) : redactor.text(value);
    case 'number':
    case 'boolean':
    case 'undefined':
      return value;
    case 'object':
      if (value === null) return null;
      if (!isProxy(value)) {
        const name = opaqueNameOf(value);
        if (name !== undefined) return { type: 'object', text: name, cut: 'depth' };
      }
      break;
    default:
  }
  return dump(value, { ...limits, redactor });
}

/** By prototype, as nearly every request has the same classes among its arguments. */
const opaqueNames = new WeakMap<object, string | null>();

/** The class of an object that would only repeat the record, or that does something. */
function opaqueNameOf(value: object): string | undefined {
  const kind: unknown = Object.getPrototypeOf(value);
  // Data may have a field of this name, which says nothing of others of its kind.
  if (typeof kind !== 'object' || kind === null || Object.hasOwn(value, 'constructor')) return undefined;
  let name = opaqueNames.get(kind);
  if (name === undefined) {
    const found = classNameOf(value);
    opaqueNames.set(kind, (name = opaqueClasses.has(found) || servicePattern.test(found) ? found : null));
  }
  return name ?? undefined;
}

/** Takes the arguments of a controller; `described` names them, in their order. */
export function takeArguments(
  args: readonly unknown[],
  described: readonly { readonly name: string }[],
  redactor: Redactor,
): TakenNamed[] {
  return args.map((value, at) => ({
    name: described[at]?.name ?? String(at),
    value: takeValue(value, redactor),
  }));
}

/** Takes those of the parameters that are there, `most` at most; what is secret by its name is hidden unless `isOpen`. */
export function takeParameters(
  given: Readonly<Record<string, unknown>>,
  names: readonly string[],
  options: { readonly redactor: Redactor; readonly most: number; readonly isOpen: boolean },
): TakenNamed[] {
  const { redactor, most, isOpen } = options;
  const taken: TakenNamed[] = [];
  for (const name of names) {
    if (!(name in given)) continue;
    if (taken.length >= most) break;
    const value = given[name];
    const isHidden = typeof value === 'string' && !isOpen && redactor.isSecretName(name);
    taken.push({ name, value: isHidden ? redactedMark : takeValue(value, redactor) });
  }
  return taken;
}
