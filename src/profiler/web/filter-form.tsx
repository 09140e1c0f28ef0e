import type { VNode } from 'preact';
import { LIMITS, type ListFilters } from './list-filters.js';
import type { ProfilerLinks } from './links.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const PERIOD_WORDS: readonly (readonly [value: string, words: string])[] = [
  ['', 'any time'],
  ['5m', 'last 5 minutes'],
  ['1h', 'last hour'],
  ['1d', 'last day'],
];

/** The filters as a plain GET form, so that a filtered list is a URL that can be sent to somebody. */
export function FilterForm({ filters, links }: { filters: ListFilters; links: ProfilerLinks }): VNode {
  return (
    <form class="filter-form" method="get" action={links.list()} aria-label="Filters">
      <label class="wide">
        URL contains (! for not)
        <input name="url" type="search" value={filters.url} autocomplete="off" spellcheck={false} />
      </label>
      <label>
        Method
        <Select
          name="method"
          chosen={filters.method}
          options={withOther(filters.method, METHODS).map((method) => [
            method,
            method === '' ? 'any' : method,
          ])}
        />
      </label>
      <label class="tiny">
        Status
        <input name="status" value={filters.status} placeholder="4xx" pattern="!?[0-9]([0-9][0-9]|xx)" />
      </label>
      <label class="small">
        Route
        <input name="route" value={filters.route} autocomplete="off" spellcheck={false} />
      </label>
      <label class="small">
        Client address
        <input name="ip" value={filters.ip} autocomplete="off" />
      </label>
      <label>
        When
        <Select name="within" chosen={filters.within} options={PERIOD_WORDS} />
      </label>
      <label>
        Rows
        <Select
          name="limit"
          chosen={filters.limit}
          options={LIMITS.map((limit, index) => [index === 0 ? '' : String(limit), String(limit)])}
        />
      </label>
      <Check name="thrown" words="Exceptions" checked={filters.thrown === '1'} />
      {filters.own === '1' && <input type="hidden" name="own" value="1" />}
      <span class="actions">
        <button class="button primary" type="submit">
          Filter
        </button>
        <a class="button" href={links.list({ own: filters.own })}>
          Reset
        </a>
      </span>
    </form>
  );
}

function Check({ name, words, checked }: { name: string; words: string; checked: boolean }): VNode {
  return (
    <label class="check">
      <input type="checkbox" name={name} value="1" checked={checked} />
      {words}
    </label>
  );
}

function Select(options: {
  name: string;
  chosen: string;
  options: readonly (readonly [value: string, words: string])[];
}): VNode {
  return (
    <select name={options.name}>
      {options.options.map(([value, words]) => (
        <option value={value} selected={value === options.chosen}>
          {words}
        </option>
      ))}
    </select>
  );
}

function withOther(chosen: string, methods: readonly string[]): readonly string[] {
  return chosen === '' || methods.includes(chosen) ? ['', ...methods] : ['', chosen, ...methods];
}
