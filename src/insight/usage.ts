/** What all requests together have cost. The cloud bills each request, also one that is refused. */
export class Usage {
  requests = 0;
  /** Entities that were read, of which `returned` are in answers. */
  read = 0;
  returned = 0;

  clear(): void {
    this.requests = 0;
    this.read = 0;
    this.returned = 0;
  }
}
