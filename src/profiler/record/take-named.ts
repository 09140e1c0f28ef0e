import type { Redactor } from '#dump';
import { redactedMark } from '#dump';
import type { NamedValues } from './named-values.js';
import { takeValue, type TakenValue } from './picture-argument.js';

/** Takes the arguments of a controller as they are now; `described` names them, in their order. */
export function takeArguments(
  args: readonly unknown[],
  described: readonly { readonly name: string }[],
  redactor: Redactor,
): NamedValues {
  const values = room(args.length);
  for (let at = 0; at < args.length; at++) values[at] = takeValue(args[at], redactor);
  return { names: described, values };
}

/** Takes those of the parameters that are there, `most` at most; what is secret by its name is hidden unless `isOpen`. */
export function takeParameters(
  given: Readonly<Record<string, unknown>>,
  names: readonly string[],
  options: { readonly redactor: Redactor; readonly most: number; readonly isOpen: boolean },
): NamedValues {
  const { redactor, most, isOpen } = options;
  const kept = names.length > most ? names.slice(0, most) : names;
  const values = room(kept.length);
  for (let at = 0; at < kept.length; at++) {
    const name = kept[at] ?? '';
    const value = given[name];
    // Mostly all that there may be are there.
    if (value === undefined && !(name in given)) return takeParameters(given, present(names, given), options);
    const isHidden = typeof value === 'string' && !isOpen && redactor.isSecretName(name);
    values[at] = isHidden ? redactedMark : takeValue(value, redactor);
  }
  return { names: kept, values };
}

/** The texts of what is secret by its name; undefined where nothing is. */
export function findSecretValues(
  given: Readonly<Record<string, unknown>>,
  redactor: Redactor,
): string[] | undefined {
  let found: string[] | undefined;
  for (const name in given) {
    const value = given[name];
    if (typeof value === 'string' && redactor.isSecretName(name)) (found ??= []).push(value);
  }
  return found;
}

function present(names: readonly string[], given: object): string[] {
  return names.filter((name) => name in given);
}

function room(length: number): TakenValue[] {
  // oxlint-disable-next-line unicorn/no-new-array -- the length is meant
  return new Array<TakenValue>(length);
}
