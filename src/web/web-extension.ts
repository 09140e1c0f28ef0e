import type { KernelListener } from '#kernel';

/** An extension of the application. */
export interface WebExtension {
  readonly name: string;
  readonly listeners: readonly KernelListener[];
}
