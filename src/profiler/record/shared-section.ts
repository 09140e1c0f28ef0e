/** A section that many records have alike. */
export class SharedSection {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}
