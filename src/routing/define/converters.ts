import { Requirement } from '../pattern/requirement.js';
import type { Converter } from './route.js';

/** Integers that a JavaScript number represents exactly; larger ones do not match. */
export const integer: Converter<number> = {
  requirement: '-?[0-9]{1,16}',
  parse: (text) => {
    const value = Number(text);
    return Number.isSafeInteger(value) ? value : undefined;
  },
  render: String,
};

/** A date such as `2026-11-21`, converted to midnight UTC. Dates that do not exist do not match. */
export const day: Converter<Date> = {
  requirement: Requirement.dateYmd,
  parse: (text) => {
    const value = new Date(`${text}T00:00:00Z`);
    return value.toISOString().startsWith(text) ? value : undefined;
  },
  render: (value) => value.toISOString().slice(0, 10),
};

/** Returns a converter that accepts only the given words. */
export function oneOf<const Words extends readonly string[]>(...words: Words): Converter<Words[number]> {
  return {
    requirement: words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'),
    parse: (text) => words.find((word) => word === text),
    render: (value) => value,
  };
}
