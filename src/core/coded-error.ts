/** Errors that users can meet: each has a code to look up, and says what was wrong, where, and how to fix it. */
export { safely } from './coded-error/safely.js';
export { CodedError, isCodedError, nameErrors } from './coded-error/coded-error.js';
export { defineErrorCodes, type ErrorCodes, type ErrorTemplate } from './coded-error/coded-error.js';
export { anObject, anything, callable, flag, text } from './coded-error/check-options.js';
export {
  checkOptions,
  checkValue,
  eitherOf,
  listOf,
  numberFrom,
  oneOf,
} from './coded-error/check-options.js';
export type { OptionKinds, ValueKind } from './coded-error/check-options.js';
export { editDistance, findNearest } from './coded-error/refuse-unknown-options.js';
export {
  anyFunction,
  listWith,
  milliseconds,
  numberAtLeast,
  refuseBadValues,
  texts,
  trueOrFalse,
  withDefaults,
} from './coded-error/check-values.js';
export type { ValueCheck, ValueChecks } from './coded-error/check-values.js';
export { optionNames, refuseUnknownOptions, type OptionNames } from './coded-error/refuse-unknown-options.js';
