import type {
  AnyEntity,
  ChangeSet,
  EventSubscriber,
  FlushEventArgs,
  TransactionEventArgs,
} from '@mikro-orm/core';
import { persistenceChannels } from './channels.js';
import type { ChangeMessage, FlushMessage, TransactionMessage } from './channels.js';

/** Publishes flushes, changes and transactions. */
export class TraceSubscriber implements EventSubscriber<AnyEntity> {
  readonly #flushes = new WeakMap<object, number>();
  readonly #transactions = new WeakMap<object, number>();

  beforeFlush({ uow }: FlushEventArgs): void {
    if (persistenceChannels.flush.hasSubscribers) this.#flushes.set(uow, performance.now());
  }

  afterFlush({ uow }: FlushEventArgs): void {
    const changes = uow.getChangeSets();
    if (changes.length === 0) return;
    const start = this.#flushes.get(uow);
    this.#flushes.delete(uow);
    if (start !== undefined && persistenceChannels.flush.hasSubscribers) {
      persistenceChannels.flush.publish(flushMessage(changes, performance.now() - start));
    }
    if (!persistenceChannels.change.hasSubscribers) return;
    for (const change of changes) persistenceChannels.change.publish(changeMessage(change));
  }

  afterTransactionStart({ em }: TransactionEventArgs): void {
    if (!persistenceChannels.transaction.hasSubscribers) return;
    this.#transactions.set(em, performance.now());
    publish('begin', 0);
  }

  afterTransactionCommit({ em }: TransactionEventArgs): void {
    this.#end(em, 'commit');
  }

  afterTransactionRollback({ em }: TransactionEventArgs): void {
    this.#end(em, 'rollback');
  }

  #end(em: object, kind: 'commit' | 'rollback'): void {
    const start = this.#transactions.get(em);
    if (start === undefined) return;
    this.#transactions.delete(em);
    publish(kind, performance.now() - start);
  }
}

function publish(kind: TransactionMessage['kind'], durationMs: number): void {
  const message: TransactionMessage = { kind, durationMs };
  persistenceChannels.transaction.publish(message);
}

function flushMessage(changes: readonly ChangeSet<AnyEntity>[], durationMs: number): FlushMessage {
  const count = (action: ChangeMessage['action']): number =>
    changes.filter(({ type }) => actionOf(type) === action).length;
  return { durationMs, created: count('create'), updated: count('update'), removed: count('remove') };
}

function changeMessage(change: ChangeSet<AnyEntity>): ChangeMessage {
  return {
    action: actionOf(change.type),
    entity: change.name,
    id: String(change.getSerializedPrimaryKey()),
    values: { ...change.payload },
  };
}

function actionOf(type: string): ChangeMessage['action'] {
  if (type === 'create') return 'create';
  return type.startsWith('update') ? 'update' : 'remove';
}
