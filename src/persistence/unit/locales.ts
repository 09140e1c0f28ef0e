import { persistenceErrors } from '../orm/error-codes.js';

/** The language of the entities' own rows, and the languages that replace a missing one. */
export class Locales {
  readonly default: string;

  constructor(defaultLocale: string) {
    this.default = canonicalLocale(defaultLocale);
  }

  /**
   * Returns the canonical form of a language tag, or the default if it is undefined. Throws `PERSISTENCE_BAD_LOCALE`.
   */
  canonical(locale: string | undefined): string {
    return locale === undefined ? this.default : canonicalLocale(locale);
  }

  /** Returns `locale` and its fallbacks before the default: `fr-CA` → `fr-CA`, `fr` (RFC 4647 lookup). */
  chain(locale: string): readonly string[] {
    const parts = locale.split('-');
    return parts
      .map((_, dropped) => parts.slice(0, parts.length - dropped).join('-'))
      .filter((tag) => tag !== this.default);
  }
}

function canonicalLocale(locale: string): string {
  try {
    return new Intl.Locale(locale).toString();
  } catch (cause) {
    throw persistenceErrors.create('PERSISTENCE_BAD_LOCALE', { locale: locale.slice(0, 50) }, { cause });
  }
}
