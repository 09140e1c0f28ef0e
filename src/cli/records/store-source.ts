import { basename, join, relative, resolve } from 'node:path';
import { type KnownApplication, openArchive, openStore, type RecordSource, storeNameOf } from '#profiler';
import { listStateStores, stateStoreAddress } from '#profiler/setup';
import { UsageError } from '../command-line/terminal.js';
import {
  foldersAbove,
  foldersBelow,
  lastWrite,
  type OpenedArchive,
  ownStore,
  packagesBeside,
  findStoreAddress,
  isRunning,
  storeOfFolder,
} from './open-records.js';

interface NamedStore {
  readonly name: string;
  readonly address: string;
}

/** Maximum number of applications in an answer. */
const maxApplications = 20;

/** Instructions for selecting another store, and for finding out what is wrong. */
interface SourceWords {
  readonly select: string;
  readonly nameOf: (store: NamedStore) => string;
  readonly doctor: string;
}

const toolWords: SourceWords = {
  select: 'for the parameter "app"',
  nameOf: ({ name }) => name,
  doctor: 'See the tool doctor.',
};
const commandWords: SourceWords = {
  select: 'for the option --store',
  nameOf: ({ address }) => storeNameOf(address),
  doctor: 'See "lookback doctor".',
};

/** The stores on this machine, looked up at each call. By default, reads the given store, or the folder's. */
export function storeSource(
  given: string | undefined,
  { isCommand = false }: { readonly isCommand?: boolean } = {},
): RecordSource {
  const words = isCommand ? commandWords : toolWords;
  return {
    async open(app) {
      if (app !== undefined) {
        const stores = namedStores(given);
        const found =
          stores.find(({ name }) => name === app) ?? stores.find(({ name }) => name.startsWith(app));
        if (found === undefined)
          throw new UsageError(`There is no application "${app}". There are: ${namesOf(stores)}.`);
        return openReadOnly(found.address);
      }
      try {
        const archive = await openReadOnly(findStoreAddress(given));
        await archive.list({ limit: 1 }).catch(async (error: unknown) => {
          await archive.close();
          throw error;
        });
        return archive;
      } catch (error) {
        const stores = namedStores(given);
        const others =
          stores.length === 0
            ? ''
            : ` Applications on this machine, ${words.select}: ${namesOf(stores, words)}.`;
        const isAbsent =
          error instanceof UsageError ||
          (error instanceof Error && 'code' in error && error.code === 'PROFILER_STORE_ABSENT');
        if (!isAbsent || given !== undefined) throw error;
        const [only] = stores;
        if (only !== undefined && stores.length === 1) {
          const note = `${resolve('.')} has no records. These are from ${words.nameOf(only)}, the only application on this machine that has any.`;
          return Object.assign(await openReadOnly(only.address), { note });
        }
        throw new UsageError(
          `No application has records for ${resolve('.')} yet: start it with lookback, and send it a request.${others} ${words.doctor}`,
        );
      }
    },
    applications: async () => {
      const chosen = chosenAddress(given);
      const all: KnownApplication[] = [];
      for (const store of namedStores(given).slice(0, maxApplications))
        all.push(await describeStore(store, chosen));
      return all.toSorted(
        (a, b) => Number(b.isChosen) - Number(a.isChosen) || (b.lastAt ?? 0) - (a.lastAt ?? 0),
      );
    },
    async diagnose() {
      const { diagnose } = await import('../doctor-command.js');
      return diagnose(given);
    },
  };
}

function openReadOnly(address: string): Promise<OpenedArchive> {
  return openArchive(openStore(address, { isReadOnly: true }));
}

function chosenAddress(given: string | undefined): string | undefined {
  try {
    return findStoreAddress(given);
  } catch {
    return undefined; // there is none yet
  }
}

function namesOf(stores: readonly NamedStore[], { nameOf } = toolWords): string {
  return stores.length === 0 ? 'none' : stores.slice(0, maxApplications).map(nameOf).join(', ');
}

/** Returns the existing stores, by their program's folder if known. */
function namedStores(given: string | undefined): readonly NamedStore[] {
  const found = new Map<string, string>();
  const add = (address: string | undefined, name: string): void => {
    if (address === undefined || found.has(address)) return;
    const isFile = address.startsWith('sqlite:');
    if (!isFile || lastWrite(address.slice('sqlite:'.length)) > 0) found.set(address, name);
  };
  for (const folder of ['.', ...foldersBelow('.'), ...foldersAbove('.'), ...packagesBeside('.')]) {
    const name = relative('.', folder) || basename(resolve('.'));
    const own = ownStore.slice('sqlite:'.length);
    add(folder === '.' ? ownStore : `sqlite:${join(folder, own)}`, name);
    add(stateStoreAddress(resolve(folder)), name);
    add(storeOfFolder(folder), name);
  }
  add(chosenAddress(given), given ?? basename(resolve('.'))); // a store outside any folder, such as one in PostgreSQL
  for (const path of listStateStores()) add(`sqlite:${path}`, basename(path, '.db'));
  return [...found].map(([address, name]) => ({ address, name }));
}

async function describeStore({ name, address }: NamedStore, chosen?: string): Promise<KnownApplication> {
  const base = { name, store: storeNameOf(address), isChosen: address === chosen };
  try {
    const archive = await openReadOnly(address);
    try {
      const [newest] = (await archive.list({ limit: 1 })).rows;
      const { groups } = await archive.totals({ isCountOnly: true });
      const process = newest?.instance ?? null;
      return {
        ...base,
        records: groups.reduce((sum, { count }) => sum + count, 0),
        lastAt: newest?.startedAt ?? null,
        url: newest === undefined || !URL.canParse(newest.url) ? null : new URL(newest.url).origin,
        process,
        isRunning: isRunning(process),
        problem: null,
      };
    } finally {
      await archive.close();
    }
  } catch (error) {
    const problem = error instanceof Error ? error.message : 'unknown';
    return { ...base, records: null, lastAt: null, url: null, process: null, isRunning: null, problem };
  }
}
