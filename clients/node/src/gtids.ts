/** The GTIDs of a client's own changes: the last one of each domain. */
export class Gtids {
  readonly #last = new Map<string, { gtid: string; number: bigint }>();

  /** The GTIDs with commas between them; empty before the first change. */
  get text(): string {
    return [...this.#last.values()].map((one) => one.gtid).join(",");
  }

  /** Notes what the server told; one that is older than what is known changes nothing. */
  note(gtids: string): void {
    for (const gtid of gtids.split(",")) {
      const [, domain, number] = /^(\d+)-\d+-(\d+)$/.exec(gtid) ?? [];
      if (domain === undefined || number === undefined) continue;
      const known = this.#last.get(domain);
      if (known === undefined || known.number < BigInt(number)) {
        this.#last.set(domain, { gtid, number: BigInt(number) });
      }
    }
  }
}
