import type { KernelListener } from '#kernel';

/** What each part of this house is: an extension of the application. */
export interface WebExtension {
  readonly name: string;
  readonly listeners: readonly KernelListener[];
}
