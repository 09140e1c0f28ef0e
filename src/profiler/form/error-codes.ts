import type { ErrorCodes } from '#coded-error';
import { defineErrorCodes } from '#coded-error';

const table = {
  PROFILER_RECORD_NEWER: {
    message: 'The record was written by a newer version (schema {found}, this one knows {known}).',
    fix: 'Update lookback to read it.',
  },
  PROFILER_RECORD_DAMAGED: {
    message: 'The record cannot be read: {reason}.',
    fix: 'Nothing can be done for this record; other records are not affected.',
  },
} as const;

/** Errors of reading records. */
export const formErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
