import { PackedSection, sectionForm } from './packed-section.js';
import type { PackWriter } from './pack-writer.js';

/** A section that many records have alike: its JSON stands once in the words of a segment. */
export class SharedSection extends PackedSection {
  readonly #json: string;

  constructor(json: string) {
    super(sectionForm.shared);
    this.#json = json;
  }

  write(pack: PackWriter): void {
    pack.word(this.#json);
  }
}
