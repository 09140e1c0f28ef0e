import { type ErrorCodes, defineErrorCodes } from '#coded-error';

const table = {
  LOCALE_MALFORMED: {
    message: '"{locale}" is not a locale.',
    fix: 'Use a BCP 47 language tag, such as "en" or "pt-BR".',
  },
  LOCALE_DEFAULT_NOT_ENABLED: {
    message: 'The default locale "{locale}" is not among the enabled ones ({enabled}).',
    fix: 'Enable it, or choose another default.',
  },
  LOCALE_BAD_MESSAGE: {
    message: 'The message "{key}" in "{locale}" cannot be parsed.',
    fix: 'Fix its ICU MessageFormat syntax; the cause shows where the error is.',
  },
} as const;

/** Errors in the configuration of locales and messages. */
export const localeErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
