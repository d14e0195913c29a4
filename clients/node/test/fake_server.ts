/** A server that answers by a function, and does to its connections what a test asks for. */
import net from "node:net";

/** One connection of the fake server. */
export interface Peer {
  readonly socket: net.Socket;
  /** Sends bytes. */
  readonly send: (bytes: string) => void;
}

/** Gives the reply to a line; undefined: none. */
export type Answer = (line: string, peer: Peer) => string | undefined;

const HELLO = "0\t6\t2\tfake\t2.0\t10.11\tdescribe,count,transaction,upsert,returning,gtid\t1\n";
const COLUMNS =
  "0\t8\tid\tint(11)\tNO\tPRI\t\0\t\t\0\t\tname\tvarchar(9)\tYES\t\tNULL\t\tutf8mb4\t\n";

/** What a server says to the lines that every connection begins with. */
export function usual(line: string): string {
  if (line.startsWith("H\t")) return HELLO;
  if (line.startsWith("D\t")) return COLUMNS;
  return "0\t1\n";
}

/** Listens on a free port of this host. */
export class FakeServer {
  /** All lines that have come, in their order. */
  readonly lines: string[] = [];
  /** How many pieces of bytes have come with other than the first lines of connections. */
  readonly pieces: string[] = [];
  /** How many connections have been made. */
  connections = 0;
  /** Those that are open. */
  readonly sockets = new Set<net.Socket>();
  answer: Answer;
  readonly #server: net.Server;

  private constructor(answer: Answer) {
    this.answer = answer;
    this.#server = net.createServer((socket) => this.#serve(socket));
  }

  static async start(answer: Answer = usual): Promise<FakeServer> {
    const fake = new FakeServer(answer);
    await new Promise<void>((resolve) => fake.#server.listen(0, "127.0.0.1", resolve));
    return fake;
  }

  get port(): number {
    return (this.#server.address() as net.AddressInfo).port;
  }

  /** The URL of a client for which this is both ports. */
  url(options = ""): string {
    return `hs://127.0.0.1:${this.port}/test?write_port=${this.port}${options}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: net.Socket): void {
    this.connections++;
    this.sockets.add(socket);
    let rest = "";
    const peer = { socket, send: (bytes: string) => socket.write(bytes, "latin1") };
    socket.on("error", () => undefined);
    socket.on("close", () => this.sockets.delete(socket));
    socket.on("data", (chunk) => {
      const piece = chunk.toString("latin1");
      this.pieces.push(piece);
      const lines = (rest + piece).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        this.lines.push(line);
        const reply = this.answer(line, peer);
        if (reply !== undefined && !socket.destroyed) peer.send(reply);
      }
    });
  }
}
