// MariaDB's `domain-server-number`, or MySQL's `uuid:number` and `uuid:tag:number`.
const FORMS = [
  /^(\d+)-\d+-(\d+)$/,
  /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?::\w+)?):(\d+)$/,
];

/** The GTIDs of a client's own changes: the highest one of each domain of MariaDB, of each UUID and tag of MySQL. */
export class Gtids {
  readonly #last = new Map<string, { gtid: string; number: bigint }>();

  /** The GTIDs with commas between them; empty before the first change. */
  get text(): string {
    return [...this.#last.values()].map((one) => one.gtid).join(",");
  }

  /** Notes what the server told; one that is older than what is known changes nothing. */
  note(gtid: string): void {
    for (const form of FORMS) {
      const [, source, number] = form.exec(gtid) ?? [];
      if (source === undefined || number === undefined) continue;
      const known = this.#last.get(source);
      if (known === undefined || known.number < BigInt(number)) {
        this.#last.set(source, { gtid, number: BigInt(number) });
      }
    }
  }
}
