/** User-facing errors: each has a code to look up, and says what was wrong, where, and how to fix it. */
export { safely } from './coded-error/safely.js';
export { withoutStack } from './coded-error/without-stack.js';
export { CodedError, isCodedError, nameErrors } from './coded-error/coded-error.js';
export { defineErrorCodes, type ErrorCodes, type ErrorTemplate } from './coded-error/coded-error.js';
export { editDistance, findNearest } from './coded-error/nearest.js';
