import { type Channel, channel } from 'node:diagnostics_channel';
import { isDate } from 'node:util/types';
import { type Formatters, IntlMessageFormat } from 'intl-messageformat';
import { type CodedError, isCodedError, safely } from '#core/coded-error';
import { describeThrown } from '#core/errors';
import {
  checkOptions,
  checkValue,
  type OptionsSchema,
  optionsSchema,
  namesTo,
  required,
  text,
} from '#core/options';
import { environmentName } from '#framework/configuration';
import { requestDebug } from '#core/http';
import { requestLogger } from '#core/log';
import { currentScope } from '#core/scope';
import { activeLocale, localeErrors } from './create-locale.js';
import { renderIncomplete } from './render-incomplete.js';

/** Messages by key, in ICU MessageFormat: `{count, plural, one {# comment} other {# comments}}`. */
export type Messages = Readonly<Record<string, string>>;

export interface CatalogueOptions<
  Texts extends Readonly<Record<string, Messages>> = Readonly<Record<string, Messages>>,
> {
  readonly messages: Texts;
  /** Locale whose message is used if the requested locale has none. */
  readonly fallback: string;
}

export const catalogueSchema: OptionsSchema<CatalogueOptions> = optionsSchema<CatalogueOptions>({
  messages: required(namesTo(namesTo(text))),
  fallback: required(text),
});

/** The message keys, in any locale; `string` if the compiler does not know the messages. */
type KeyOf<Texts> = { [Locale in keyof Texts]: keyof Texts[Locale] }[keyof Texts] & string;

/** Messages in several languages. `Key` is the type of their keys. */
export interface Catalogue<Key extends string = string> {
  /**
   * Formats a message in the request's locale (or the given one), otherwise in its language, otherwise in the fallback
   * locale. Returns the key if the message is missing. The result is plain text, which must be escaped in markup. If a
   * value is missing or cannot be formatted, throws `LOCALE_MESSAGE_VALUE`; in production, the placeholder stays in the
   * text and a warning is logged.
   */
  text(key: Key, values?: MessageValues, locale?: string): string;
}

type MessageValues = Readonly<Record<string, string | number | Date>>;

/**
 * Creates a catalogue and parses all messages. If the compiler knows the messages, their keys are typed: unknown keys
 * do not compile. Throws `LOCALE_BAD_MESSAGE` for an invalid message.
 */
export function createCatalogue<const Texts extends Readonly<Record<string, Messages>>>(
  options: CatalogueOptions<Texts>,
): Catalogue<KeyOf<Texts>> {
  checkOptions('createCatalogue()', options, catalogueSchema);
  const formats = new Map<string, Map<string, IntlMessageFormat>>();
  for (const [locale, messages] of Object.entries<Messages>(options.messages)) {
    formats.set(
      locale,
      new Map(Object.entries(messages).map(([key, text]) => [key, readMessage(key, text, locale)])),
    );
  }
  return {
    text(key, values, requested) {
      const locale = readLocale(key, requested) ?? activeLocale(options.fallback);
      const [language = locale] = locale.split('-');
      const candidates = [locale, language, options.fallback]; // `fr-CA`, then `fr`, then the fallback
      const used = candidates.find((candidate) => formats.get(candidate)?.has(key) === true);
      const format = used === undefined ? undefined : formats.get(used)?.get(key);
      const text =
        format === undefined ? key : formatMessage(format, { key, locale: used ?? locale, values });
      if (messageChannel.hasSubscribers)
        messageChannel.publish({
          key,
          locale,
          used,
          text,
          state: stateOf(locale, used),
        } satisfies MessageUse);
      return text;
    },
  };
}

interface MessageCall {
  readonly key: string;
  readonly locale: string;
  readonly values: MessageValues | undefined;
}

function formatMessage(format: IntlMessageFormat, { key, locale, values }: MessageCall): string {
  const { usable, unreadable } = readValues(values);
  try {
    if (unreadable !== undefined) throw unreadable.cause;
    return renderMessage(format, locale, usable);
  } catch (cause) {
    const reason = describeThrown(cause);
    const error = localeErrors.create('LOCALE_MESSAGE_VALUE', { key, locale, reason }, { cause });
    if (isStrict()) throw error;
    report(error, { key, locale });
    return renderIncomplete(format.getAst(), (elements) => {
      const part = new IntlMessageFormat(elements, locale, undefined, { formatters });
      return safely(() => renderMessage(part, locale, usable), undefined);
    });
  }
}

/** Returns a locale that a caller passed. JavaScript may pass something else, such as options. */
function readLocale(key: string, locale: unknown): string | undefined {
  if (locale === undefined || typeof locale === 'string') return locale;
  try {
    checkValue('text() of a catalogue', 'locale', locale, text);
  } catch (error) {
    if (isStrict() || !isCodedError(error)) throw error;
    report(error, { key });
  }
  return undefined;
}

/**
 * Reads the values that a message can show, without null and undefined, for which the text would have a gap. JavaScript
 * may pass no object at all, or one with a getter that throws.
 */
function readValues(values: unknown): {
  readonly usable: MessageValues;
  readonly unreadable: { readonly cause: unknown } | undefined;
} {
  const usable: Record<string, string | number | Date> = Object.create(null) as Record<string, never>; // empty
  let unreadable: { readonly cause: unknown } | undefined;
  const attempt = (read: () => void): void => {
    try {
      read();
    } catch (cause) {
      unreadable ??= { cause };
    }
  };
  const keep = (name: string, value: unknown): void => {
    if (value === undefined || value === null) return;
    usable[name] = typeof value === 'boolean' ? String(value) : (value as string); // checked when it is rendered
  };
  const given = typeof values === 'object' && values !== null ? values : {};
  attempt(() => {
    for (const name in given) attempt(() => keep(name, Reflect.get(given, name)));
  });
  return { usable, unreadable };
}

/** Formats a message. Throws if a value is missing, or cannot be shown in its place. */
function renderMessage(format: IntlMessageFormat, locale: string, values: MessageValues): string {
  return format
    .formatToParts<unknown>(values)
    .map(({ value }) => {
      if (typeof value === 'string') return value;
      if (isDate(value)) return new Intl.DateTimeFormat(locale, dateStyle).format(value);
      throw new TypeError(`A value is ${kindOf(value)}; texts, numbers and dates can be shown.`);
    })
    .join('');
}

const dateStyle: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' };

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}

/** Refuses what `Intl` would show as `NaN`: a text in the place of a number. */
function numberOf(value: unknown): number | bigint {
  const number = typeof value === 'bigint' ? value : Number(value);
  if (typeof number === 'bigint' || !Number.isNaN(number)) return number;
  throw new TypeError('A value that is not a number stands in the place of one.');
}

class FormatOfNumbers extends Intl.NumberFormat {
  override format(value: number | bigint | string): string {
    return super.format(numberOf(value));
  }
}

class RulesOfNumbers extends Intl.PluralRules {
  override select(value: number): Intl.LDMLPluralRule {
    return super.select(Number(numberOf(value)));
  }
}

/** `Intl`'s formatters, each created once. */
const formatters: Formatters = {
  getNumberFormat: createdOnce((...given: IntlArguments<Intl.NumberFormatOptions>) => {
    return new FormatOfNumbers(...given);
  }),
  getDateTimeFormat: createdOnce((...given: IntlArguments<Intl.DateTimeFormatOptions>) => {
    return new Intl.DateTimeFormat(...given);
  }),
  getPluralRules: createdOnce((...given: IntlArguments<Intl.PluralRulesOptions>) => {
    return new RulesOfNumbers(...given);
  }),
};

type IntlArguments<Options> = [locales?: string | string[], options?: Options];

/** There are as many different arguments as the messages have locales and styles. */
function createdOnce<Options, Result>(
  create: (...given: IntlArguments<Options>) => Result,
): (...given: IntlArguments<Options>) => Result {
  const known = new Map<string, Result>();
  return (...given) => {
    const key = JSON.stringify(given);
    let result = known.get(key);
    if (result === undefined) known.set(key, (result = create(...given)));
    return result;
  };
}

/**
 * Whether missing values are errors: in an application, debug decides; elsewhere the environment, so that production
 * jobs do not fail either.
 */
function isStrict(): boolean {
  const scope = currentScope();
  if (scope?.get(requestLogger) !== undefined) return scope.get(requestDebug) === true;
  return ['dev', 'test'].includes(environmentName());
}

function report(error: CodedError, facts: Readonly<Record<string, string>>): void {
  const log = currentScope()?.get(requestLogger);
  const text = `${error.message} ${error.fix ?? ''}`.trim();
  if (log === undefined) process.emitWarning(text, { type: 'LocaleWarning', code: error.code });
  else log.channel('locale').warning(text, { code: error.code, ...facts });
}

function stateOf(locale: string, used: string | undefined): MessageUse['state'] {
  if (used === undefined) return 'missing';
  return used === locale || locale.startsWith(`${used}-`) ? 'defined' : 'fallback';
}

function readMessage(key: string, text: string, locale: string): IntlMessageFormat {
  try {
    return new IntlMessageFormat(text, locale, undefined, { ignoreTag: true, formatters });
  } catch (cause) {
    throw localeErrors.create('LOCALE_BAD_MESSAGE', { key, locale }, { cause });
  }
}

/** A message lookup, as published on `lookback:locale:message`. */
export interface MessageUse {
  readonly key: string;
  readonly locale: string;
  /** The locale whose text was used; undefined for a missing message. */
  readonly used: string | undefined;
  /** The result: the message with its values, or the key if it is missing. */
  readonly text: string;
  readonly state: 'defined' | 'fallback' | 'missing';
}

/** Publishes a `MessageUse` for each lookup while there are subscribers. */
export const messageChannel: Channel = channel('lookback:locale:message');
