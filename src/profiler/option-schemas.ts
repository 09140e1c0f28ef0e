import {
  callable,
  either,
  filledText,
  flag,
  fromVariable,
  issueAt,
  issueOf,
  listOf,
  number,
  objectWith,
  oneOf,
  type OptionsSchema,
  optionsSchema,
  optionsWithDefaults,
  type OptionType,
  type OptionTypes,
  namesTo,
  required,
  secret,
  text,
  textWith,
  type VariableOption,
  whole,
} from '#core/options';
import { createEditorLinker } from '#core/errors';
import type { Budget, Budgets, Section } from './sections/section.js';
import type { SampleOptions } from './recording/sampling.js';
import { ignoredPath } from './recording/ignored-requests.js';
import { isStoreAddress } from './storage/tables/store-name.js';
import { accessSchema, networks } from './web/access/access-options.js';
import { retentionSchema } from './storage/tables/retention.js';

export { accessSchema, networks };
export { ignoreRules } from './recording/ignored-requests.js';
export { retentionSchema };

/** How to sample the requests to record. */
export const sampleSchema: OptionsSchema<SampleOptions, 'rate' | 'errors' | 'slowMs'> = optionsWithDefaults<
  SampleOptions,
  'rate' | 'errors' | 'slowMs'
>(
  {
    rate: fromVariable('PROFILER_SAMPLE', number({ min: 0, max: 1, unit: 'the share of requests' })),
    errors: flag,
    slowMs: either(number({ min: 0, unit: 'milliseconds' }), oneOf(false)),
    secret: fromVariable(
      'PROFILER_SAMPLE_SECRET',
      secret(textWith('a string of at least 32 characters', (value) => value.length >= 32)),
    ),
  },
  { rate: 1, errors: true, slowMs: 1000 },
);

const sectionId = textWith('lowercase letters, digits and hyphens', (value) =>
  /^[a-z0-9-]{1,100}$/.test(value),
);

/** A custom section, which may be a class instance. */
export const sectionSchema: OptionsSchema<Section> = optionsSchema<Section>(
  {
    id: required(sectionId),
    title: text,
    group: text as OptionType<NonNullable<Section['group']>>, // unknown groups come last in the menu
    collect: callable(),
    numbers: namesTo(objectWith('an object with a kind and an of method', 'of')),
    timeline: callable(),
    findings: callable(),
    panel: objectWith('an object with a show method', 'show'),
  },
  { isOpen: true },
);

const limit = number({ min: 0 });

/** A budget has fixed names, and names of section numbers, which contain a dot. */
const budgetSchema: OptionsSchema<Budget> = optionsSchema<Budget>(
  { durationMs: limit, bytes: limit, queries: limit } as OptionTypes<Budget>, // the others follow
  { others: (name) => (name.includes('.') ? limit : undefined) },
);

const sectionList = listOf(sectionSchema, 'a list of sections');

/** Sections with different ids: of two with one id, the record would keep the data of the last. */
export const sectionsOption: OptionType<readonly Section[]> = {
  ...sectionList,
  check(value) {
    const issue = sectionList.check(value);
    if (issue !== undefined) return issue;
    const ids = (value as readonly Section[]).map(({ id }) => id); // checked above
    const at = ids.findIndex((id, index) => ids.indexOf(id) !== index);
    if (at === -1) return undefined;
    return issueAt(at, issueAt('id', issueOf(ids[at], 'an id that no other section of the list has')));
  },
};

/** Options with which an application extends its records, however it records. */
export const additionTypes: OptionTypes<{
  readonly sections?: readonly Section[];
  readonly budgets?: Budgets;
  readonly bodyTypes?: readonly string[];
}> = {
  sections: sectionsOption,
  budgets: namesTo(budgetSchema, 'an object with a budget for each route name'),
  bodyTypes: listOf(text),
};

/** A store's address, which may contain a password. */
export const storeAddress: OptionType<string> = secret(
  textWith('"sqlite:PATH", "postgres://…" or "memory:"', isStoreAddress),
);

/** An application's store: an address, or none. */
export const storeSetting: VariableOption<string> = fromVariable(
  'PROFILER_STORE',
  either(storeAddress, oneOf('off')),
  '`sqlite:var/profiler.db` in debug, else `off`',
);

/** An editor for links to source lines. */
export const editorName: VariableOption<string> = fromVariable(
  'LOOKBACK_IDE',
  textWith(
    'an editor (vscode, idea, zed …), or a link template with %f and %l',
    (value) => createEditorLinker(value)('/', 1, 1) !== undefined,
  ),
);

/** Whether HTML pages have the toolbar. */
export const toolbarSetting: VariableOption<boolean> = fromVariable('LOOKBACK_TOOLBAR', flag);

/** Whether errors include local variables. */
export const localsSetting: VariableOption<boolean> = fromVariable('LOOKBACK_LOCALS', flag);

/** Defaults of both settings. */
export const displayDefaults: { readonly toolbar: boolean; readonly locals: boolean } = {
  toolbar: true,
  locals: true,
};

/** Clients other than this machine that may see debug output. */
export const debugPeers: VariableOption<readonly string[]> = fromVariable('DEBUG_ALLOWED_PEERS', networks);

/** A list of origins, or a keyword. */
const originsOrWord = textWith(
  'off, all, or origins, separated by commas: https://api.example.org',
  (value) =>
    value === 'off' ||
    value === 'all' ||
    value.split(/[\s,]+/).every((origin) => URL.canParse(origin) && new URL(origin).origin === origin),
);

/** Settings that exist only as environment variables. */
export const variableOptions: {
  readonly recording: VariableOption<boolean>;
  readonly port: VariableOption<number>;
  readonly ignore: VariableOption<readonly string[]>;
  readonly trace: VariableOption<string>;
  readonly app: VariableOption<string>;
  readonly secretNames: VariableOption<string>;
} = {
  recording: fromVariable('LOOKBACK', flag, 'on in debug'),
  port: fromVariable('LOOKBACK_PORT', whole({ min: 0, max: 65_535 }), 'the port of the application'),
  ignore: fromVariable('PROFILER_IGNORE', listOf(ignoredPath)),
  trace: fromVariable('LOOKBACK_TRACE', originsOrWord, 'your own network'),
  app: fromVariable('LOOKBACK_APP', filledText),
  secretNames: fromVariable('LOOKBACK_SECRET_NAMES', filledText),
};

/** Path prefix of pages. */
export const pathPrefix: OptionType<string> = textWith(
  'a path that begins with a slash and does not end with one, such as "/_profiler"',
  (value) => /^(?:\/[\w.~-]+)+$/.test(value),
);
