/** Errors that a user can meet: each has a code to look up, what was wrong, where, and the fix. */
export { CodedError, isCodedError, nameErrors } from './coded-error/coded-error.js';
export { defineErrorCodes, type ErrorCodes, type ErrorTemplate } from './coded-error/define-error-codes.js';
