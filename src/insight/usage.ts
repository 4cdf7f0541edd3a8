/** What all requests together have cost. The cloud bills each request as a transaction, also one that is refused. */
export class Usage {
  transactions = 0;
  /** Entities that were read, of which `returned` are in answers. */
  scanned = 0;
  returned = 0;

  clear(): void {
    this.transactions = 0;
    this.scanned = 0;
    this.returned = 0;
  }
}
