import { type Channel, channel } from 'node:diagnostics_channel';
import { IntlMessageFormat } from 'intl-messageformat';
import { type CodedError } from '#core/coded-error';
import { checkOptions, type OptionsSchema, optionsSchema, namesTo, required, text } from '#core/options';
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
    text(key, values, locale = activeLocale(options.fallback)) {
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
  const given = values === undefined ? undefined : withoutMissing(values);
  try {
    return String(format.format(given));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : typeof cause;
    const error = localeErrors.create('LOCALE_MESSAGE_VALUE', { key, locale, reason }, { cause });
    if (isStrict()) throw error;
    report(error, { key, locale });
    return renderIncomplete(format.getAst(), locale, given);
  }
}

/** Removes null and undefined, which JavaScript can pass: the text would have a gap in their place. */
function withoutMissing(values: MessageValues): MessageValues {
  const entries = Object.entries<unknown>(values);
  if (entries.every(([, value]) => value !== undefined && value !== null)) return values;
  const kept = entries.filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(kept) as MessageValues; // entries from the same record
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
    return new IntlMessageFormat(text, locale, undefined, { ignoreTag: true });
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
