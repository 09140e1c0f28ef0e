import {
  anyFunction,
  listWith,
  numberAtLeast,
  optionNames,
  type OptionNames,
  refuseBadValues,
  refuseUnknownOptions,
  texts,
  type ValueCheck,
} from '#core/coded-error';
import type { Budget, Budgets, Section } from './sections/section.js';
import type { SampleOptions } from './recording/sampling.js';
import { isStoreAddress } from './storage/tables/store-name.js';

/** The names of the options of sampling. */
export const sampleOptionNames: OptionNames<SampleOptions> = optionNames('rate errors slowMs secret');

/** Refuses names and values of sampling that it does not take. Throws `OPTIONS_UNKNOWN` and `OPTIONS_BAD_VALUE`. */
export function checkSample(location: string, sample: SampleOptions | undefined): void {
  const where = `${location}: sample`;
  refuseUnknownOptions(where, sample, sampleOptionNames);
  refuseBadValues(where, sample, {
    rate: { ...numberAtLeast(0, 1), takes: 'the share of requests, as a number from 0 to 1' },
    errors: { takes: 'true or false', accepts: (value) => typeof value === 'boolean' },
    slowMs: {
      takes: 'milliseconds, as a number of at least 0, or false',
      accepts: (value) => value === false || numberAtLeast(0).accepts(value),
    },
    secret: {
      takes: 'a text of at least 32 characters',
      accepts: (value) => typeof value === 'string' && value.length >= 32,
      isSecret: true,
    },
  });
}

/** What an application adds to its records, from the options of whoever records. */
interface Additions {
  readonly sections?: readonly Section[] | undefined;
  readonly budgets?: Budgets | undefined;
  readonly bodyTypes?: readonly string[] | undefined;
}

const isOptional =
  (accepts: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || accepts(value);
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Refuses sections, budgets and media types that are none. Throws `OPTIONS_BAD_VALUE` and `OPTIONS_UNKNOWN`. */
export function checkAdditions(location: string, { sections, budgets, bodyTypes }: Additions): void {
  refuseBadValues<Additions>(
    location,
    { sections, budgets, bodyTypes },
    {
      sections: listWith(
        'a list of sections, each with an id; collect, timeline and findings are functions, and panel has show',
        {
          id: isText,
          collect: isOptional(anyFunction.accepts),
          timeline: isOptional(anyFunction.accepts),
          findings: isOptional(anyFunction.accepts),
          numbers: isOptional(isObject),
          panel: isOptional((panel) => isObject(panel) && anyFunction.accepts(Reflect.get(panel, 'show'))),
        },
      ),
      budgets: { takes: 'an object with a budget for each route name', accepts: isObject },
      bodyTypes: texts,
    },
  );
  for (const [route, budget] of Object.entries(budgets ?? {}))
    checkBudget(`${location}: budgets`, route, budget);
}

/** A budget has names of its own, and those of the numbers of collectors, which have a dot. */
function checkBudget(location: string, route: string, budget: Budget): void {
  refuseBadValues(
    location,
    { [route]: budget },
    { [route]: { takes: 'an object of limits', accepts: isObject } },
  );
  const where = `${location}[${JSON.stringify(route.slice(0, 100))}]`;
  const own = Object.entries(budget).filter(([name]) => !name.includes('.'));
  refuseUnknownOptions(where, Object.fromEntries(own) as OwnLimits, 'durationMs bytes queries'); // refused otherwise
  const checks = Object.keys(budget).map((name) => [name, numberAtLeast(0)] as const);
  refuseBadValues(where, budget, Object.fromEntries(checks));
}

type OwnLimits = Pick<Budget, 'durationMs' | 'bytes' | 'queries'>;

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Addresses of stores; they may hold a password. */
export const storeAddress: ValueCheck = {
  takes: '"sqlite:PATH", "postgres://…" or "memory:"',
  accepts: (value) => typeof value === 'string' && isStoreAddress(value),
  isSecret: true,
};
