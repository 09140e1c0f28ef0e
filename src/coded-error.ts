/**
 * Errors that a user can meet: each has a code that can be looked up, says what was wrong and where, and how to mend it.
 */
export { CodedError, isCodedError } from './coded-error/coded-error.js';
export { defineErrorCodes } from './coded-error/define-error-codes.js';
export type { ErrorCodes, ErrorTemplate } from './coded-error/define-error-codes.js';
