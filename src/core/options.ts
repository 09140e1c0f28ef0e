/**
 * Option schemas: a schema is the single place that declares the values each of a function's options accepts, next to its public interface.
 */
export { checkOptions, checkValue, readOptions } from './options/check-options.js';
export { optionsSchema, optionsWithDefaults } from './options/options-schema.js';
export type { OptionsSchema, OptionTypes, SchemaRules } from './options/options-schema.js';
export {
  anObject,
  anything,
  bytes,
  callable,
  date,
  describedAs,
  either,
  filledText,
  flag,
  fromVariable,
  issueAt,
  issueOf,
  listOf,
  milliseconds,
  number,
  objectWith,
  oneOf,
  optionType,
  namesTo,
  regularExpression,
  required,
  seconds,
  secret,
  text,
  textWith,
  whole,
} from './options/option-type.js';
export type { AnyOption, OptionType, RequiredOption, VariableOption } from './options/option-type.js';
